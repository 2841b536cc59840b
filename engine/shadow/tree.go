package shadow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"

	"forge/engine/workspace"
	"forge/internal/failpoint"
	"forge/patch"
)

// Tree is a scratch copy of a snapshot, in which one run changes, builds and tests. It is no git
// worktree and has no .git: no registration can become stale, and no path leads a tool to the private
// repository. A Tree is for one goroutine at a time.
type Tree struct {
	trees    *Trees
	lease    *lease
	held     *replica
	links    links
	snapshot Snapshot
	applied  map[string]bool // paths written by Apply, which Changes reports even if they are ignored
}

// start makes the tree one of its snapshot.
func (t *Tree) start(ctx context.Context) error {
	if err := t.held.bring(ctx, t.snapshot.Commit); err != nil {
		return err
	}
	t.links.find(t.held.known.files)
	return t.links.renew(t.held.known)
}

// Dir returns the absolute path of the tree's root.
func (t *Tree) Dir() string { return t.held.root() }

// Origin returns the workspace of the tree, as a path without links.
func (t *Tree) Origin() string { return t.trees.dir.Root }

// ReadFile returns the current content of a file in the tree. The error matches fs.ErrNotExist for a missing one.
func (t *Tree) ReadFile(path string) ([]byte, error) {
	return workspace.Snapshot{Root: t.Dir()}.ReadFile(path)
}

// List returns the sorted paths of the tree's existing regular files: those of its snapshot and those that
// Apply wrote. It omits files that tools left, so that the list does not depend on them.
func (t *Tree) List(ctx context.Context) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	paths := slices.AppendSeq(slices.Collect(maps.Keys(t.held.known.files)), maps.Keys(t.applied))
	slices.Sort(paths)
	root, err := os.OpenRoot(t.Dir())
	if err != nil {
		return nil, fmt.Errorf("list the scratch tree: %w", err)
	}
	defer root.Close() //nolint:errcheck // only read
	return slices.DeleteFunc(slices.Compact(paths), func(name string) bool {
		info, err := root.Lstat(name)
		return err != nil || !info.Mode().IsRegular()
	}), nil
}

// Reset restores the snapshot in the tree, byte for byte: changed files, and everything that was
// added, ignored or not, including a repository that a test created.
func (t *Tree) Reset(ctx context.Context) error {
	err := t.held.bring(ctx, t.snapshot.Commit)
	if err == nil {
		err = t.links.renew(t.held.known)
	}
	if err != nil {
		return fmt.Errorf("reset the scratch tree: %w", err)
	}
	clear(t.applied)
	return nil
}

// Close ends the use of the tree. It goes to the pool, for a later Checkout, or is removed if that is
// impossible or the pool is full. A second call does nothing.
func (t *Tree) Close() error {
	if t.lease.owner == nil {
		return nil
	}
	failpoint.Hit(failTreeClose)
	if err := t.trees.park(t); err != nil {
		return t.lease.remove()
	}
	return errors.Join(t.lease.end(), t.trees.shrink(maxIdle, maxIdleBytes))
}

// Apply writes the After of each file of the change set, regardless of the tree's content. It checks
// all paths before the first write: a path that leaves the tree, even by a symbolic link, or is in a
// .git is rejected (*patch.PathError or the system's error). Permissions are kept, also of a file that has come from another one.
// Deletions come first, and take the folders with them that they leave empty, as git does: a folder may take the place of a file, or a file
// that of a folder.
func (t *Tree) Apply(set patch.ChangeSet) error {
	for _, change := range set.Files {
		if err := checkChange(change); err != nil {
			return fmt.Errorf("apply to the scratch tree: %w", err)
		}
	}
	root, err := os.OpenRoot(t.Dir())
	if err != nil {
		return fmt.Errorf("apply to the scratch tree: %w", err)
	}
	defer root.Close() //nolint:errcheck // every file in it is closed
	modes := modesOf(root, set)
	for _, deletes := range []bool{true, false} {
		for _, change := range set.Files {
			if deletes != (change.Kind == patch.Delete) {
				continue
			}
			if err := t.apply(root, change, cmp.Or(modes[change.Path], 0o666)); err != nil {
				return fmt.Errorf("apply to the scratch tree: %s: %w", change.Path, err)
			}
		}
	}
	return nil
}

// modesOf returns the permissions of new files that have come from other ones.
func modesOf(root *os.Root, set patch.ChangeSet) map[string]fs.FileMode {
	modes := map[string]fs.FileMode{}
	for name, from := range set.Origins() {
		if info, err := root.Stat(from); err == nil && info.Mode().IsRegular() {
			modes[name] = info.Mode().Perm()
		}
	}
	return modes
}

func checkChange(change patch.FileChange) error {
	if change.Kind == patch.Move {
		if err := patch.CheckPath(change.From); err != nil {
			return err
		}
	}
	return patch.CheckPath(change.Path)
}

// apply writes one change; mode is for a new file. It rejects links out of the tree, or into a git directory, as in the folder.
func (t *Tree) apply(root *os.Root, change patch.FileChange, mode fs.FileMode) error {
	if err := t.links.takesOver(root, change.Path); err != nil {
		return err
	}
	name, err := workspace.RealPath(root, change.Path)
	if err != nil {
		return err
	}
	t.applied[change.Path] = true
	switch change.Kind {
	case patch.Delete:
		return remove(root, change.Path)
	case patch.Move:
		if _, err := workspace.RealPath(root, change.From); err != nil {
			return err
		}
		t.applied[change.From] = true
		if err := remove(root, change.From); err != nil {
			return err
		}
	case patch.Create, patch.Update:
	}
	return write(root, name, change.After, mode)
}

// remove removes a file of a scratch tree, and the folders that it leaves empty.
func remove(root *os.Root, name string) error {
	err := root.Remove(name)
	for dir := path.Dir(name); err == nil && dir != "."; dir = path.Dir(dir) {
		if info, gone := root.Lstat(dir); gone != nil || !info.IsDir() || root.Remove(dir) != nil {
			break // it has other files
		}
	}
	return err
}

// write writes a file of a scratch tree; mode is for a new one. It writes in place: an incomplete tree is discarded.
// Code of the tree may have replaced the file by anything, so it never waits.
func write(root *os.Root, name, text string, mode fs.FileMode) error {
	if err := root.MkdirAll(path.Dir(name), 0o777); err != nil {
		return err
	}
	if info, err := root.Stat(name); err == nil && !info.Mode().IsRegular() {
		return &patch.PathError{Path: name, Cause: "it is not a regular file"}
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|workspace.PlainFlags, mode)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
