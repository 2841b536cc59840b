package checks

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

// linkedFolders returns the installed packages that links in a tree lead to: those in the folders of its users, and what these name
// outside, and the files that name it. Other links are not followed: a project may contain one to a file with secrets.
func linkedFolders(tree string, roots []string) (linked []string, naming []placed) {
	add := func(folder string) {
		if folder != "" && !slices.Contains(linked, folder) {
			linked = append(linked, folder)
		}
	}
	_ = filepath.WalkDir(tree, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Type()&fs.ModeSymlink == 0 {
			return nil //nolint:nilerr // unreadable: it links to nothing
		}
		to, err := os.Readlink(path)
		if err != nil || !filepath.IsAbs(to) || inside(tree, to) {
			return nil //nolint:nilerr // of the project's own
		}
		for _, root := range roots {
			if folder := installation(root, to); folder != "" {
				add(folder)
				real, _ := filepath.EvalSymlinks(to)
				add(installation("/", real)) // the folder may be a link to another place
			}
		}
		return nil
	})
	for _, folder := range slices.Clone(linked) {
		for _, p := range placedIn(folder) {
			naming = append(naming, p)
			p.each(func(path string) string {
				add(path)
				return path
			})
		}
	}
	return linked, naming
}

// installation returns the folder of installed packages below a root that a path is in, or the path itself if it is a generated
// version module of Python; empty if it is neither.
func installation(root, path string) string {
	rest, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(rest) {
		return ""
	}
	at := root
	for part := range strings.SplitSeq(rest, string(filepath.Separator)) {
		at = filepath.Join(at, part)
		if part == "node_modules" || isEnvironment(at) {
			return at
		}
	}
	if name := filepath.Base(path); strings.HasSuffix(name, ".py") && strings.Contains(name, "ver") && !slices.Contains(strings.Split(rest, string(filepath.Separator)), ".git") {
		return path
	}
	return ""
}

// isEnvironment reports whether a folder is a virtual environment of Python (PEP 405).
func isEnvironment(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "pyvenv.cfg"))
	return err == nil
}

// editable matches the folders and modules that the finder of an editable installation names, as setuptools writes it.
var editable = lazyregexp.New(`['"]/[^'"\n]+['"]`)

// placed is what places a package that is installed in place: a .pth file, or the finder of an editable installation.
type placed struct {
	file, text string
	isFinder   bool
}

// placedIn returns what places packages of a virtual environment that the user has installed.
func placedIn(folder string) (all []placed) {
	if !isEnvironment(folder) {
		return nil
	}
	files, _ := filepath.Glob(filepath.Join(glob(folder), "lib", "python*", "site-packages", "*"))
	for _, file := range files {
		base := filepath.Base(file)
		isFinder := strings.HasPrefix(base, "__editable__") && strings.HasSuffix(base, ".py")
		if !isFinder && !strings.HasSuffix(base, ".pth") {
			continue
		}
		if text, err := os.ReadFile(file); err == nil { //nolint:gosec // of an environment that the user has installed
			all = append(all, placed{file, string(text), isFinder})
		}
	}
	return all
}

// each calls do with each path that is named, and returns the text with what do returns in its place.
func (p placed) each(do func(path string) string) string {
	if p.isFinder {
		return editable.ReplaceAllStringFunc(p.text, func(quoted string) string {
			last := len(quoted) - 1
			return quoted[:1] + do(quoted[1:last]) + quoted[last:]
		})
	}
	var text strings.Builder
	for line := range strings.Lines(p.text) {
		if path := strings.TrimSpace(line); filepath.IsAbs(path) {
			line = do(path) + "\n"
		}
		text.WriteString(line)
	}
	return text.String()
}

// inTree returns the texts of files with the paths of the tree in place of those of the user's folder, by the real paths of the files: a process that ignores
// PYTHONPATH imports the change.
func inTree(tree, root string, naming []placed) map[string]string {
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil // unknown
	}
	texts := map[string]string{}
	for _, p := range naming {
		text := p.each(func(path string) string { return treePath(tree, root, path) })
		if file, err := filepath.EvalSymlinks(p.file); err == nil && text != p.text {
			texts[file] = text
		}
	}
	return texts
}

// treePath returns the path in the tree of a folder or module of the user's folder, whose real path is root. It returns the path itself if it is elsewhere, or
// not in the tree because git ignores it.
func treePath(tree, root, path string) string {
	path = filepath.Clean(path)
	parent, err := filepath.EvalSymlinks(filepath.Dir(path))
	rel, relErr := filepath.Rel(root, filepath.Join(parent, filepath.Base(path)))
	if errors.Join(err, relErr) != nil || !filepath.IsLocal(rel) {
		return path
	}
	there := filepath.Join(tree, rel)
	for _, ending := range []string{"", ".py"} { // a finder names modules without it
		if _, err := os.Lstat(there + ending); err == nil {
			return there
		}
	}
	return path
}

// glob escapes a path for filepath.Glob.
func glob(path string) string { return escapes.ReplaceAllString(path, `\$0`) }

var escapes = lazyregexp.New(`[\\*?\[]`)
