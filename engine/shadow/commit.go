package shadow

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"forge/internal/failpoint"
)

// Commit keeps what the tree holds now, as a commit on top of the one it was brought to last, and gives its full
// id; ResetTo goes back to it. New files that an ignore rule names stay out unless Apply wrote them, and so do files above
// MaxFileSize, other repositories and what is neither file nor link. The same tree, history and message give the same
// id, and a tree that did not change gives the one it has.
//
// The commit is in the shadow repository, where GC keeps it as long as the tree is open, and then for as long as it is
// named to it.
func (t *Tree) Commit(ctx context.Context, message string) (string, error) {
	id, err := t.commit(ctx, message)
	if err != nil {
		return "", fmt.Errorf("keep the state of the scratch tree: %w", err)
	}
	return id, nil
}

func (t *Tree) commit(ctx context.Context, message string) (string, error) {
	unlock, err := t.repo.lock(ctx) // GC must not take objects for unused that are not in a commit yet
	if err != nil {
		return "", err
	}
	defer unlock()
	failpoint.Hit(failTreeCommit)
	paths, err := t.uncommitted(ctx)
	if err != nil || len(paths) == 0 {
		return t.known.commit, err
	}
	add, gone := t.sort(paths)
	before := t.stamps(add)
	parent := t.known.commit
	tree, err := t.writeTree(ctx, add, gone)
	if err != nil {
		return "", err
	}
	if same, err := t.repo.line(ctx, command{args: []string{"rev-parse", parent + "^{tree}"}, dir: t.repo.git}); err != nil || same == tree {
		return parent, err
	}
	id, err := t.repo.line(ctx, command{args: []string{"commit-tree", tree, "-p", parent, "-m", message}, dir: t.repo.git})
	if err != nil {
		return "", err
	}
	if err := t.repo.writeRef(ctx, commits+id, id); err != nil {
		return "", err
	}
	if err := t.need(id); err != nil {
		return "", err
	}
	failpoint.Hit(failTreeCommitted)
	return id, t.advance(ctx, id, before)
}

// sort tells what a commit takes from what it has no longer. Of a file that grew too large or cannot be read any
// more it has what it was: that is neither.
func (t *Tree) sort(paths []string) (add, gone []string) {
	for _, name := range paths {
		switch info, err := os.Lstat(filepath.Join(t.Dir(), filepath.FromSlash(name))); {
		case err != nil || !isLeaf(info):
			gone = append(gone, name)
		case t.keeps(name):
			add = append(add, name)
		}
	}
	return add, gone
}

// writeTree brings the tree's index to what the tree has, and keeps that.
func (t *Tree) writeTree(ctx context.Context, add, gone []string) (string, error) {
	if err := t.index(ctx); err != nil {
		return "", err
	}
	t.indexed = "" // until it is what a commit says again
	for _, c := range []struct {
		names []string
		args  []string
	}{{gone, []string{"--force-remove"}}, {add, []string{"--add", "--replace"}}} {
		if len(c.names) == 0 {
			continue
		}
		args := append(append([]string{"update-index"}, c.args...), "-z", "--stdin")
		if _, err := t.repo.run(ctx, command{args: args, tree: t.Dir(), index: t.indexFile(), stdin: joined(c.names)}); err != nil {
			return "", err
		}
	}
	return t.repo.line(ctx, command{args: []string{"write-tree"}, tree: t.Dir(), index: t.indexFile()})
}

// isLeaf reports whether git keeps a file of this kind.
func isLeaf(info os.FileInfo) bool { return info.Mode().IsRegular() || info.Mode()&os.ModeSymlink != 0 }

// uncommitted lists the paths where the tree may differ from the commit it was brought to.
func (t *Tree) uncommitted(ctx context.Context) ([]string, error) {
	added, err := t.added(ctx)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, name := range added {
		if _, known := t.known.files[name]; !known && t.keeps(name) {
			paths = append(paths, name)
		}
	}
	for name, h := range t.known.files {
		if !t.untouched(name, h) {
			paths = append(paths, name)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// keeps reports whether a file that tools added goes into a commit.
func (t *Tree) keeps(name string) bool {
	info, err := os.Lstat(filepath.Join(t.Dir(), filepath.FromSlash(name)))
	if err != nil || checkKept(name) != nil || !isLeaf(info) {
		return false
	}
	return info.Mode()&os.ModeSymlink != 0 || info.Size() <= MaxFileSize && !unreadable(info)
}

// unreadable reports whether a test took a file's permissions away.
func unreadable(info os.FileInfo) bool { return info.Mode().Perm()&0o400 == 0 }

// stamps gives the stamps of files as they are now; those that are not there have none.
func (t *Tree) stamps(paths []string) map[string]stamp {
	found := make(map[string]stamp, len(paths))
	for _, name := range paths {
		if info, err := os.Lstat(filepath.Join(t.Dir(), filepath.FromSlash(name))); err == nil {
			found[name] = stampOf(info)
		}
	}
	return found
}

// advance makes a commit of the tree the one it is known to hold. before are the stamps, from before git read them, of
// the files it took: those that are the same now were read as they are.
func (t *Tree) advance(ctx context.Context, id string, before map[string]stamp) error {
	now, err := t.settle(ctx, before)
	if err != nil {
		return err
	}
	want, err := t.repo.listing(ctx, id, t.known.commit, t.known.listing())
	if err != nil {
		return err
	}
	files := unproven(want)
	for name, h := range files {
		if was := t.known.files[name]; was.leaf == h.leaf {
			h.stamp = was.stamp // one that does not hold any more proves nothing
		}
		if s, taken := before[name]; taken {
			h.stamp = stamp{}
			if s.settled(now) && t.untouched(name, held{stamp: s}) {
				h.stamp = s
			}
		}
		files[name] = h
	}
	t.known, t.indexed = manifest{commit: id, files: files}, id
	return nil
}

// commits are the refs of what Commit kept, and snapshots those of Snapshot: the name is the id.
const (
	commits   = "refs/forge/commits/"
	snapshots = "refs/forge/snapshots/"
)

// writeRef makes a ref. The caller has the lock.
func (r *Repo) writeRef(ctx context.Context, ref, commit string) error {
	r.clearRefLock(ref)
	failpoint.Hit(failRefWrite)
	if _, err := r.run(ctx, command{args: []string{"update-ref", ref, commit}, dir: r.git}); err != nil {
		return err
	}
	failpoint.Hit(failRefWritten)
	return nil
}

// checkCommit refuses what is not the full id of a commit, before git takes it for an option or a name.
func checkCommit(id string) error {
	if isObjectID(id) && strings.ToLower(id) == id {
		return nil
	}
	return fmt.Errorf("%q is not the full id of a commit", id)
}
