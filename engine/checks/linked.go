package checks

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"forge/engine/sandbox"
	"forge/internal/lazyregexp"
)

// linked is what links of a tree lead to.
type linked struct {
	tree      string
	links     []string // that lead to installed packages, by their paths in the tree
	installed []string // folders of packages in the folders of the tree's users
	named     []string // that these name elsewhere, for packages installed in place
}

// linkedFolders returns the installed packages that links in a tree lead to: those in the folders of its users, and what these name
// outside. Other links are not followed: a project may contain one to a file with secrets.
func linkedFolders(tree string, roots []string) linked {
	l := linked{tree: tree}
	add := func(folder string) {
		if folder != "" && !slices.Contains(l.installed, folder) {
			l.installed = append(l.installed, folder)
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
		l.links = append(l.links, path)
		for _, root := range roots {
			if folder := installation(root, to); folder != "" {
				add(folder)
				real, _ := filepath.EvalSymlinks(to)
				add(installation("/", real)) // the folder may be a link to another place
			}
		}
		return nil
	})
	for _, folder := range l.installed {
		for _, named := range namedBy(folder) {
			if !slices.Contains(l.installed, named) && !slices.Contains(l.named, named) {
				l.named = append(l.named, named)
			}
		}
	}
	return l
}

// copies returns the parts of the tree to show at a named folder of the user's: a process that ignores PYTHONPATH imports the change, not what the user
// has there. A link is none of them, as it leads there itself. It returns nil for a folder that is not the user's, or not in the tree.
func (l linked) copies(named, root string) []sandbox.Place {
	real, err := filepath.EvalSymlinks(named)
	if err != nil || root == "" {
		return nil
	}
	if root, err = filepath.EvalSymlinks(root); err != nil || !inside(root, real) {
		return nil
	}
	rel, err := filepath.Rel(root, real)
	tree, treeErr := filepath.EvalSymlinks(l.tree)
	if errors.Join(err, treeErr) != nil {
		return nil
	}
	return l.copiesOf(tree, rel, named)
}

// copiesOf returns those of a path in the tree. In the result, no part of the path is a link: the jail shows none.
func (l linked) copiesOf(tree, rel, at string) (copies []sandbox.Place) {
	path := filepath.Join(l.tree, rel)
	info, err := os.Lstat(path)
	switch {
	case err != nil || info.Mode()&fs.ModeSymlink != 0:
		return nil
	case !slices.ContainsFunc(l.links, func(link string) bool { return inside(path, link) }):
		return []sandbox.Place{{Folder: filepath.Join(tree, rel), At: at}}
	}
	names, _ := os.ReadDir(path) // on failure there is nothing to show
	for _, name := range names {
		copies = append(copies, l.copiesOf(tree, filepath.Join(rel, name.Name()), filepath.Join(at, name.Name()))...)
	}
	return copies
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
