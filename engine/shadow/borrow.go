package shadow

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// besidePython are the files beside which virtual environments are: without what is installed there no tool of the project runs, and in
// a snapshot it is not.
var besidePython = []string{"pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "Pipfile", "requirements.txt"}

// installed are the folders of what is installed, in the root of the workspace and beside the files of projects; some may not be there.
func (t *Tree) installed() []string {
	var folders []string
	looked := map[string]bool{}
	environments := func(dir string) {
		if !looked[dir] {
			looked[dir] = true
			folders = append(folders, t.repo.environmentsIn(dir)...)
		}
	}
	environments(".")
	for name := range t.known.files {
		switch base := path.Base(name); {
		case base == "package.json":
			folders = append(folders, path.Join(path.Dir(name), modulesFolder))
		case slices.Contains(besidePython, base):
			environments(path.Dir(name))
		}
	}
	slices.Sort(folders)
	return folders
}

// borrow makes what is installed in the workspace visible in the tree (docs/adr/0030): each folder of packages is made as a folder
// of the tree's own, in which every package is a link to where it is installed. What a tool adds to that folder, removes from it or
// replaces in it stays in the tree. What it writes through a link, into a package, would be done to the user's installation, as by any
// absolute path: engine/sandbox guards that (docs/adr/0038), on systems that can.
//
// A package that is a link into the workspace, as those of npm's, pnpm's and yarn's workspaces are, becomes a link into the tree: what
// is checked there is the tree, not the folder beside it. A folder of which the snapshot has anything is left as the snapshot has it.
//
// The tree holds nothing but its commit. Links need rights on Windows that people rarely have; nothing is borrowed there.
func (t *Tree) borrow() error {
	t.borrowed = nil
	if runtime.GOOS == "windows" {
		return nil
	}
	folders := t.installed()
	if len(folders)+len(t.generated) == 0 {
		return nil
	}
	kept := t.known.listing().folders()
	for _, folder := range folders {
		if err := t.borrowFolder(folder, kept); err != nil {
			return fmt.Errorf("make what is installed visible in the tree: %w", err)
		}
	}
	if err := t.borrowGenerated(kept); err != nil {
		return fmt.Errorf("make what was generated visible in the tree: %w", err)
	}
	return nil
}

// borrowFolder borrows one folder, if there is one and it is not the snapshot's.
func (t *Tree) borrowFolder(folder string, kept map[string]bool) error {
	_, isFile := t.known.files[folder]
	if isFile || kept[folder] || t.borrowed[folder] {
		return nil
	}
	entries, err := os.ReadDir(t.repo.at(folder))
	if err != nil {
		return nil //nolint:nilerr // nothing is installed, or nothing that can be read: the tools that are missed say so
	}
	t.lent(folder)
	lender := lender{workspace: t.repo.root, tree: t.Dir(), kept: kept}
	return lender.spread(folder, entries)
}

// lent notes what was made visible.
func (t *Tree) lent(name string) {
	if t.borrowed == nil {
		t.borrowed = map[string]bool{}
	}
	t.borrowed[name] = true
}

// isBorrowed reports whether a path is, or lies in, a folder that was borrowed, and no edit wrote it.
func (t *Tree) isBorrowed(name string) bool {
	if t.applied[name] {
		return false
	}
	for folder := range maps.Keys(t.borrowed) {
		if name == folder || strings.HasPrefix(name, folder+"/") {
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

// target tells where the link of an entry leads: to the entry in the workspace, or, for one that is a link to what the tree has
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
