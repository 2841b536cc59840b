package shadow

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"forge/patch"
)

// candidates lists everything that is neither ignored nor installed, and what the user's repository tracks all the same, sorted;
// some of it may not be there any more. Files of nested repositories are kept out: a git that met one in an
// index would run inside it, with its settings. Folders that cannot be read are named. The caller has the lock.
func (r *Repo) candidates(ctx context.Context) (names []string, closed []Skipped, err error) {
	user := findUserGit(r.root)
	if err := r.writeExcludes(user); err != nil {
		return nil, nil, err
	}
	// An index that is not there: what is in one would be listed although it is ignored by now.
	names, closed, err = r.untracked(ctx, command{index: r.indexFile("index.none")})
	if err != nil {
		return nil, nil, err
	}
	tracked, err := r.tracked(ctx, user)
	if err != nil {
		return nil, nil, err
	}
	found := append(r.withoutInstalled(names), tracked...)
	slices.Sort(found)
	nests := newNests(r.root)
	return slices.DeleteFunc(slices.Compact(found), func(name string) bool {
		return strings.HasSuffix(name, "/") || nests.inside(name)
	}), closed, nil
}

// closedFolders reads git's warnings of folders that it could not open.
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

var tooLarge = fmt.Sprintf("it is larger than %d MiB", MaxFileSize>>20)

// judge says whether a file goes into a snapshot. No reason means that there is no such file any more.
func (r *Repo) judge(name string) (reason string, ok bool) {
	info, err := os.Lstat(r.at(name))
	switch {
	case err != nil:
		return "", false
	case checkKept(name) != nil:
		return "git cannot keep a file of this name", false
	case info.Mode()&fs.ModeSymlink != 0:
		return "", true
	case !info.Mode().IsRegular():
		return "", false
	case info.Size() > MaxFileSize:
		return tooLarge, false
	}
	return "", true
}

// checkKept says, as a *patch.PathError, why git cannot keep a file of this name. It refuses less than
// patch.CheckPath: a folder may hold names that no edit may make, and what compilers see of it must be
// all of it.
func checkKept(name string) error {
	if fs.ValidPath(name) && name != "." && !strings.ContainsRune(name, 0) && !patch.InGit(name) {
		return nil
	}
	return patch.CheckPath(name)
}

// nests remembers which folders are, or lie in, repositories of their own or behind symbolic links.
type nests struct {
	root  string
	known map[string]bool
}

func newNests(root string) *nests { return &nests{root, map[string]bool{".": false}} }

func (n *nests) inside(name string) bool { return n.foreign(path.Dir(name)) }

func (n *nests) foreign(dir string) bool {
	answer, ok := n.known[dir]
	if ok {
		return answer
	}
	answer = n.foreign(path.Dir(dir)) || n.startsNest(dir)
	n.known[dir] = answer
	return answer
}

func (n *nests) startsNest(dir string) bool {
	here := filepath.Join(n.root, filepath.FromSlash(dir))
	if info, err := os.Lstat(here); err == nil && !info.IsDir() {
		return true
	}
	_, err := os.Lstat(filepath.Join(here, ".git"))
	return err == nil
}
