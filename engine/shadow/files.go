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

// files lists what belongs to a snapshot, and what should and cannot.
func (r *Repo) files(ctx context.Context) (take []string, skipped []Skipped, err error) {
	found, err := r.candidates(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range found {
		reason, ok := r.judge(name)
		switch {
		case ok:
			take = append(take, name)
		case reason != "":
			skipped = append(skipped, Skipped{name, reason})
		}
	}
	return take, skipped, nil
}

// candidates lists everything that is not ignored, and what the user's repository tracks all the same, sorted;
// some of it may not be there any more. Files of nested repositories are kept out: a git that met one in an
// index would run inside it, with its settings. The caller has the lock.
func (r *Repo) candidates(ctx context.Context) ([]string, error) {
	user := findUserGit(r.root)
	if err := r.writeExcludes(user); err != nil {
		return nil, err
	}
	// An index that is not there: what is in the workspace's own would be listed although it is ignored by now.
	found, err := r.list(ctx, command{
		args: []string{"ls-files", "-z", "--others", "--exclude-standard"}, index: r.indexFile("index.none"),
	})
	if err != nil {
		return nil, err
	}
	tracked, err := r.tracked(ctx, user)
	if err != nil {
		return nil, err
	}
	found = append(found, tracked...)
	slices.Sort(found)
	nests := newNests(r.root)
	return slices.DeleteFunc(slices.Compact(found), func(name string) bool {
		return strings.HasSuffix(name, "/") || nests.inside(name)
	}), nil
}

// judge says whether a file goes into a snapshot. No reason means that there is no such file any more.
func (r *Repo) judge(name string) (reason string, ok bool) {
	info, err := os.Lstat(filepath.Join(r.root, filepath.FromSlash(name)))
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
		return fmt.Sprintf("it is larger than %d MiB", MaxFileSize>>20), false
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
