package checks

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

// linkedFolders returns the installed packages that links in a tree lead to: those in the folders of its users, and what these name
// outside. Other links are not followed: a project may contain one to a file with secrets.
func linkedFolders(tree string, roots []string) (linked []string) {
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
		for _, named := range namedBy(folder) {
			add(named)
		}
	}
	return linked
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

// editable matches the folders that the finder of an editable installation names, as setuptools writes it.
var editable = lazyregexp.New(`['"](/[^'"\n]+)['"]`)

// namedBy returns the folders that a virtual environment adds to the path of modules: by .pth files, and by editable installations. The
// user has installed them.
func namedBy(folder string) (named []string) {
	if !isEnvironment(folder) {
		return nil
	}
	files, _ := filepath.Glob(filepath.Join(glob(folder), "lib", "python*", "site-packages", "*"))
	for _, file := range files {
		base := filepath.Base(file)
		isList, isFinder := strings.HasSuffix(base, ".pth"), strings.HasPrefix(base, "__editable__") && strings.HasSuffix(base, ".py")
		if !isList && !isFinder {
			continue
		}
		text, err := os.ReadFile(file) //nolint:gosec // of an environment that the user has installed
		if err != nil {
			continue
		}
		if isFinder {
			for _, match := range editable.FindAllStringSubmatch(string(text), -1) {
				named = append(named, match[1])
			}
			continue
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); filepath.IsAbs(line) {
				named = append(named, line)
			}
		}
	}
	return named
}

// glob escapes a path for filepath.Glob.
func glob(path string) string { return escapes.ReplaceAllString(path, `\$0`) }

var escapes = lazyregexp.New(`[\\*?\[]`)
