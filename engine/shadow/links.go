package shadow

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"forge/engine/gitdir"
	"forge/internal/failpoint"
)

// links are files that a scratch tree shows by links: installed packages of the workspace (docs/adr/0030), and files
// that an installation generated next to its modules.
type links struct {
	dir       *gitdir.Dir
	tree      string          // its root
	linked    map[string]bool // folders and files that are visible in the tree
	generated []string        // files of the workspace to link, if the tree has none of the name
}

// besidePython are files next to virtual environments: without the installed packages no tool of the project runs, and no snapshot
// contains them.
var besidePython = []string{"pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "Pipfile", "requirements.txt"}

// installed returns the folders of installed packages, in the root of the workspace and next to project files; some may not exist.
func (l *links) installed(files map[string]held) []string {
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

// renew makes the installed packages of the workspace visible in the tree, which contains only a commit: each folder of packages
// becomes a folder of the tree, in which every package is a link to its installation. Additions, removals and replacements of a
// tool in that folder stay in the tree. A write through a link, into a package, would change the user's installation, as with any
// absolute path: engine/sandbox prevents that (docs/adr/0038), on systems that can.
//
// A package that is a link into the workspace, as in npm's, pnpm's and yarn's workspaces, becomes a link into the tree: the tree is
// checked, not the original folder. A folder with files in the snapshot stays as the snapshot has it.
//
// Links need rights on Windows that users rarely have; nothing is linked there.
func (l *links) renew(known manifest) error {
	l.linked = map[string]bool{}
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
		if err := l.linkFolder(folder, kept); err != nil {
			return fmt.Errorf("make what is installed visible in the tree: %w", err)
		}
	}
	if err := l.linkGenerated(); err != nil {
		return fmt.Errorf("make what was generated visible in the tree: %w", err)
	}
	return nil
}

// linkFolder links one folder, if it exists and is not in the snapshot.
func (l *links) linkFolder(folder string, kept map[string]bool) error {
	if kept[folder] || l.linked[folder] {
		return nil
	}
	entries, err := os.ReadDir(l.dir.At(folder))
	if err != nil {
		return nil //nolint:nilerr // nothing is installed, or it is unreadable: then tools report what they miss
	}
	l.linked[folder] = true
	linker := linker{workspace: l.dir.Root, tree: l.tree, kept: kept}
	return linker.spread(folder, entries)
}

// has reports whether a path is linked, or inside a linked folder.
func (l *links) has(name string) bool {
	for linked := range l.linked {
		if name == linked || strings.HasPrefix(name, linked+"/") {
			return true
		}
	}
	return false
}

// linker links installed packages of a workspace into a tree.
type linker struct {
	workspace, tree string
	kept            map[string]bool // the folders of the snapshot
}

// shared are the entries with a dot that are packages or programs. The others are private data of tools, and are recreated.
var shared = []string{".bin", ".pnpm", ".store", ".prisma"}

// spread creates a folder of the tree and links the entries into it. Scopes ("@types") and the folder of programs are spread as
// well.
func (l linker) spread(folder string, entries []fs.DirEntry) error {
	if err := os.Mkdir(l.in(l.tree, folder), 0o777); err != nil { //nolint:gosec // as package managers create it
		return err
	}
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, ".") && !slices.Contains(shared, name) {
			continue
		}
		if err := l.link(path.Join(folder, name), entry); err != nil {
			return err
		}
	}
	return nil
}

func (l linker) link(name string, entry fs.DirEntry) error {
	if base := path.Base(name); entry.IsDir() && (base == ".bin" || strings.HasPrefix(base, "@")) {
		entries, err := os.ReadDir(l.in(l.workspace, name))
		if err != nil {
			return err
		}
		return l.spread(name, entries)
	}
	return os.Symlink(l.target(name, entry), l.in(l.tree, name))
}

// target returns the target of an entry's link: the entry in the workspace, or, for a link to a folder that the tree has,
// that folder.
func (l linker) target(name string, entry fs.DirEntry) string {
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
	// A program of a package is found through the link of the package; a package in the tree belongs to the tree.
	if path.Base(path.Dir(name)) == ".bin" || l.kept[path.Join(path.Dir(name), filepath.ToSlash(said))] {
		return said
	}
	return there
}

func (linker) in(root, name string) string { return filepath.Join(root, filepath.FromSlash(name)) }

// lease is the folder of a scratch tree on disk while this process owns it.
type lease struct {
	home  string           // trees/<id>
	owner *gitdir.FileLock // nil after the lease
}

// need records the commit of the tree: GC keeps it while the tree has an owner.
func (l *lease) need(commit string) error {
	return os.WriteFile(filepath.Join(l.home, "needs"), []byte(commit+"\n"), 0o600)
}

// end releases the folder.
func (l *lease) end() error {
	err := l.owner.Close()
	l.owner = nil
	return err
}

// remove removes the folder. The lock file goes last: until then no other process can take the tree.
func (l *lease) remove() error {
	failpoint.Hit(failTreeRemove)
	entries, err := os.ReadDir(l.home)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for _, entry := range entries {
		if entry.Name() != ownerFile {
			err = errors.Join(err, removeAll(filepath.Join(l.home, entry.Name())))
		}
	}
	if err == nil {
		err = removeAll(l.home)
	}
	err = errors.Join(err, l.end())
	failpoint.Hit(failTreeRemoved)
	return err
}

// ownerFile is the lock of the tree's owner.
const ownerFile = "owner"

// removeAll removes a folder even if parts of it are read-only, such as Go's module cache.
func removeAll(name string) error {
	if err := os.RemoveAll(name); err == nil {
		return nil
	}
	// A test may have made folders unreadable: WalkDir calls this before it reads one.
	_ = filepath.WalkDir(name, func(full string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			return os.Chmod(full, 0o700) //nolint:gosec // a folder needs x
		}
		return nil // RemoveAll below reports the error
	})
	return os.RemoveAll(name)
}
