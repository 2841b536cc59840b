package shadow

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"forge/engine/gitdir"
)

// loans are what is lent to a scratch tree: links to what is installed in the workspace (docs/adr/0030), and to files that an
// installation generated beside its modules.
type loans struct {
	dir       *gitdir.Dir
	tree      string          // its root
	lent      map[string]bool // folders and files that were made visible in the tree
	generated []string        // files of the workspace to lend, where the tree has none of the name
}

// besidePython are the files beside which virtual environments are: without what is installed there no tool of the project runs, and in
// a snapshot it is not.
var besidePython = []string{"pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "Pipfile", "requirements.txt"}

// installed are the folders of what is installed, in the root of the workspace and beside the files of projects; some may not be there.
func (l *loans) installed(files map[string]held) []string {
	var folders []string
	looked := map[string]bool{}
	environments := func(dir string) {
		if !looked[dir] {
			looked[dir] = true
			folders = append(folders, l.dir.Environments(dir)...)
		}
	}
	environments(".")
	for name := range files {
		switch base := path.Base(name); {
		case base == "package.json":
			folders = append(folders, path.Join(path.Dir(name), gitdir.ModulesFolder))
		case slices.Contains(besidePython, base):
			environments(path.Dir(name))
		}
	}
	slices.Sort(folders)
	return folders
}

// renew makes what is installed in the workspace visible in the tree, which holds nothing but a commit: each folder of packages is made as a folder
// of the tree's own, in which every package is a link to where it is installed. What a tool adds to that folder, removes from it or
// replaces in it stays in the tree. What it writes through a link, into a package, would be done to the user's installation, as by any
// absolute path: engine/sandbox guards that (docs/adr/0038), on systems that can.
//
// A package that is a link into the workspace, as those of npm's, pnpm's and yarn's workspaces are, becomes a link into the tree: what
// is checked there is the tree, not the folder beside it. A folder of which the snapshot has anything is left as the snapshot has it.
//
// Links need rights on Windows that users rarely have; nothing is lent there.
func (l *loans) renew(known manifest) error {
	l.lent = map[string]bool{}
	if runtime.GOOS == "windows" {
		return nil
	}
	folders := l.installed(known.files)
	if len(folders)+len(l.generated) == 0 {
		return nil
	}
	kept := known.listing().Folders()
	for _, folder := range folders {
		if _, isFile := known.files[folder]; isFile {
			continue
		}
		if err := l.lendFolder(folder, kept); err != nil {
			return fmt.Errorf("make what is installed visible in the tree: %w", err)
		}
	}
	if err := l.lendGenerated(); err != nil {
		return fmt.Errorf("make what was generated visible in the tree: %w", err)
	}
	return nil
}

// lendFolder lends one folder, if there is one and it is not the snapshot's.
func (l *loans) lendFolder(folder string, kept map[string]bool) error {
	if kept[folder] || l.lent[folder] {
		return nil
	}
	entries, err := os.ReadDir(l.dir.At(folder))
	if err != nil {
		return nil //nolint:nilerr // nothing is installed, or nothing that can be read: the tools that are missed say so
	}
	l.lent[folder] = true
	lender := lender{workspace: l.dir.Root, tree: l.tree, kept: kept}
	return lender.spread(folder, entries)
}

// has reports whether a path is, or lies in, something that was lent.
func (l *loans) has(name string) bool {
	for lent := range l.lent {
		if name == lent || strings.HasPrefix(name, lent+"/") {
			return true
		}
	}
	return false
}

// lender links what is installed in a workspace into a tree.
type lender struct {
	workspace, tree string
	kept            map[string]bool // the folders of the snapshot
}

// shared are the entries with a dot that are installed. The others are what tools keep for themselves, and are made anew.
var shared = []string{".bin", ".pnpm", ".store", ".prisma"}

// spread makes a folder of the tree and links the entries into it. Scopes ("@types") and the folder of programs are spread as well.
func (l lender) spread(folder string, entries []fs.DirEntry) error {
	if err := os.Mkdir(l.in(l.tree, folder), 0o777); err != nil { //nolint:gosec // as package managers make it
		return err
	}
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, ".") && !slices.Contains(shared, name) {
			continue
		}
		if err := l.lend(path.Join(folder, name), entry); err != nil {
			return err
		}
	}
	return nil
}

func (l lender) lend(name string, entry fs.DirEntry) error {
	if base := path.Base(name); entry.IsDir() && (base == ".bin" || strings.HasPrefix(base, "@")) {
		entries, err := os.ReadDir(l.in(l.workspace, name))
		if err != nil {
			return err
		}
		return l.spread(name, entries)
	}
	return os.Symlink(l.target(name, entry), l.in(l.tree, name))
}

// target is where the link of an entry leads: to the entry in the workspace, or, for one that is a link to what the tree has
// itself, to that.
func (l lender) target(name string, entry fs.DirEntry) string {
	there := l.in(l.workspace, name)
	if entry.Type()&fs.ModeSymlink == 0 {
		return there
	}
	said, err := os.Readlink(there)
	if err != nil {
		return there
	}
	if filepath.IsAbs(said) {
		if said, err = filepath.Rel(filepath.Dir(there), said); err != nil {
			return there
		}
	}
	// A program of a package is found through the link of the package; a package that the tree has is the tree's.
	if path.Base(path.Dir(name)) == ".bin" || l.kept[path.Join(path.Dir(name), filepath.ToSlash(said))] {
		return said
	}
	return there
}

func (lender) in(root, name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
