package gitdir

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"forge/patch"
)

// Candidates lists every file that is neither ignored nor installed, and every file that the user's repository tracks, sorted;
// some may no longer exist. It omits files of nested repositories: a git that finds one in an index would run inside it, with
// its settings. It names folders that cannot be read. The caller has the lock.
func (f *Files) Candidates(ctx context.Context) (names []string, closed []Skipped, err error) {
	user := findUserGit(f.dir.Root)
	if err := f.writeExcludes(user); err != nil {
		return nil, nil, err
	}
	// Without an index: git would list its files even if they are ignored by now.
	names, closed, err = f.Untracked(ctx, f.dir.Root, "")
	if err != nil {
		return nil, nil, err
	}
	tracked, err := f.tracked(ctx, user)
	if err != nil {
		return nil, nil, err
	}
	found := append(f.withoutInstalled(names), tracked...)
	slices.Sort(found)
	nests := NewNests(f.dir.Root)
	return slices.DeleteFunc(slices.Compact(found), func(name string) bool {
		return strings.HasSuffix(name, "/") || nests.Inside(name)
	}), closed, nil
}

// closedFolders parses git's warnings about folders that it could not open.
func closedFolders(said string) []Skipped {
	var closed []Skipped
	for line := range strings.Lines(said) {
		rest, ok := strings.CutPrefix(line, "warning: could not open directory '")
		name, _, quoted := strings.Cut(rest, "': ")
		if ok && quoted {
			closed = append(closed, Skipped{strings.TrimSuffix(name, "/"), "the folder cannot be read: check its permissions"})
		}
	}
	return closed
}

// CheckKept returns, as a *patch.PathError, why git cannot store a file of this name. It rejects less
// than patch.CheckPath: a folder may contain names that no edit may create, and compilers must see all
// of it.
func CheckKept(name string) error {
	if fs.ValidPath(name) && name != "." && !strings.ContainsRune(name, 0) && !patch.InGit(name) {
		return nil
	}
	return patch.CheckPath(name)
}

// Nests caches which folders are, or are in, nested repositories or behind symbolic links.
type Nests struct {
	root  string
	known map[string]bool
}

// NewNests returns the cache for a folder.
func NewNests(root string) *Nests { return &Nests{root, map[string]bool{".": false}} }

// Inside reports whether a file is in one of them.
func (n *Nests) Inside(name string) bool { return n.foreign(path.Dir(name)) }

func (n *Nests) foreign(dir string) bool {
	answer, ok := n.known[dir]
	if ok {
		return answer
	}
	answer = n.foreign(path.Dir(dir)) || n.startsNest(dir)
	n.known[dir] = answer
	return answer
}

func (n *Nests) startsNest(dir string) bool {
	here := filepath.Join(n.root, filepath.FromSlash(dir))
	if info, err := os.Lstat(here); err == nil && !info.IsDir() {
		return true
	}
	_, err := os.Lstat(filepath.Join(here, ".git"))
	return err == nil
}

// Installed packages are not written by the user, and are never in a snapshot, whether git ignores them or not: packages of
// Node.js, and virtual environments of Python. Tracked files stay, because a user added them on purpose.

// ModulesFolder is the folder of installed Node.js packages.
const ModulesFolder = "node_modules"

// marksOfEnvironments are files that only a virtual environment of Python (PEP 405), or of conda, contains.
var marksOfEnvironments = []string{"pyvenv.cfg", "conda-meta/history"}

// isEnvironment reports whether a folder, by its absolute path, is a virtual environment, or a link to one.
func isEnvironment(dir string) bool {
	return slices.ContainsFunc(marksOfEnvironments, func(mark string) bool {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(mark)))
		return err == nil && info.Mode().IsRegular()
	})
}

// Environments returns the names of the virtual environments of Python in a subfolder.
func (d *Dir) Environments(dir string) (names []string) {
	entries, err := os.ReadDir(d.At(dir))
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		if !entry.Type().IsRegular() && isEnvironment(filepath.Join(d.At(dir), entry.Name())) {
			names = append(names, path.Join(dir, entry.Name()))
		}
	}
	return names
}

// installedRules are rules of gitignore(5) that exclude the largest installed folders from git's walk.
func (f *Files) installedRules() []string {
	rules := []string{ModulesFolder}
	for _, name := range f.dir.Environments(".") {
		rules = append(rules, "/"+strings.ReplaceAll(literal.Replace(name), " ", `\ `))
	}
	return rules
}

// usualEnvironments are common names of links to environments.
var usualEnvironments = []string{".venv", "venv", "env", ".env", ".conda"}

// withoutInstalled drops installed files from a list of paths.
func (f *Files) withoutInstalled(names []string) []string {
	environments := map[string]bool{}
	for _, name := range names {
		for _, mark := range marksOfEnvironments {
			if dir, is := strings.CutSuffix(name, "/"+mark); is {
				environments[dir] = true
			}
		}
		if slices.Contains(usualEnvironments, path.Base(name)) && isEnvironment(f.dir.At(name)) {
			environments[name] = true
		}
	}
	return slices.DeleteFunc(names, func(name string) bool {
		if environments[name] || path.Base(name) == ModulesFolder {
			return true
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if environments[dir] || path.Base(dir) == ModulesFolder {
				return true
			}
		}
		return false
	})
}
