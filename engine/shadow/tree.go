package shadow

import (
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

// Tree is a scratch copy of a snapshot, for one run to change, build and test in. It is no git
// worktree and has no .git: nothing is registered that could go stale, and nothing in it leads a tool
// to the private repository. A Tree is for one goroutine at a time.
type Tree struct {
	trees    *Trees
	lease    *lease
	held     *replica
	loans    loans
	snapshot Snapshot
	applied  map[string]bool // paths written by Apply; reported by Changes although an ignore rule names them
}

// start makes the tree one of its snapshot.
func (t *Tree) start(ctx context.Context) error {
	if err := t.held.bring(ctx, t.snapshot.Commit); err != nil {
		return err
	}
	t.loans.find(t.held.known.files)
	return t.loans.renew(t.held.known)
}

// Dir is the absolute path of the tree's root.
func (t *Tree) Dir() string { return t.held.root() }

// Origin is the workspace that the tree is a copy of, as a path without links.
func (t *Tree) Origin() string { return t.trees.dir.Root }

// ReadFile returns the text of a file as it is in the tree now. The error matches fs.ErrNotExist for a
// path that is not there.
func (t *Tree) ReadFile(path string) ([]byte, error) {
	return workspace.Snapshot{Root: t.Dir()}.ReadFile(path)
}

// List returns the paths of the tree's files, sorted: those of its snapshot and those that Apply wrote, as
// far as they are there as regular files. What tools left in the tree is not listed, so that the list
// does not depend on which of them ran.
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
	defer root.Close() //nolint:errcheck // nothing was written
	return slices.DeleteFunc(slices.Compact(paths), func(name string) bool {
		info, err := root.Lstat(name)
		return err != nil || !info.Mode().IsRegular()
	}), nil
}

// Reset brings the tree back to its snapshot, byte for byte: changed files, and everything that was
// added, ignored or not, also a repository that a test made.
func (t *Tree) Reset(ctx context.Context) error {
	err := t.held.bring(ctx, t.snapshot.Commit)
	if err == nil {
		err = t.loans.renew(t.held.known)
	}
	if err != nil {
		return fmt.Errorf("reset the scratch tree: %w", err)
	}
	clear(t.applied)
	return nil
}

// Close ends the use of the tree. It goes to the pool, for a later Checkout, or is removed where that is not
// possible or the pool is full. A second call does nothing.
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

// Apply makes each file of the change set what its After says, whatever the tree has there. All paths
// are checked before the first one is written: one that leaves the tree, also by a symbolic link, or
// lies in a .git is refused (*patch.PathError or the system's error). Permissions are kept.
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
	defer root.Close() //nolint:errcheck // every file in it was closed
	for _, change := range set.Files {
		if err := t.apply(root, change); err != nil {
			return fmt.Errorf("apply to the scratch tree: %s: %w", change.Path, err)
		}
	}
	return nil
}

func checkChange(change patch.FileChange) error {
	if change.Kind == patch.Move {
		if err := patch.CheckPath(change.From); err != nil {
			return err
		}
	}
	return patch.CheckPath(change.Path)
}

// apply writes one change. What links lead out of the tree, or into a git directory, is refused as it would be in the folder.
func (t *Tree) apply(root *os.Root, change patch.FileChange) error {
	if err := t.loans.takesOver(root, change.Path); err != nil {
		return err
	}
	name, err := workspace.RealPath(root, change.Path)
	if err != nil {
		return err
	}
	t.applied[change.Path] = true
	switch change.Kind {
	case patch.Delete:
		return root.Remove(change.Path)
	case patch.Move:
		if _, err := workspace.RealPath(root, change.From); err != nil {
			return err
		}
		t.applied[change.From] = true
		mode := fs.FileMode(0o666)
		if info, err := root.Stat(change.From); err == nil {
			mode = info.Mode().Perm()
		}
		if err := write(root, name, change.After, mode); err != nil {
			return err
		}
		return root.Remove(change.From)
	default:
		return write(root, name, change.After, 0o666)
	}
}

// write fills a file of a scratch tree; mode is for a new one. In place is good enough here: a tree
// that is half written is thrown away. Code of the tree may have put anything in its place, so nothing is waited for.
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
