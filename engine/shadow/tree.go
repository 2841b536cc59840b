package shadow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"

	"forge/engine/workspace"
	"forge/patch"
)

// Tree is a scratch copy of a snapshot, for one run to change, build and test in. It is no git
// worktree and has no .git: nothing is registered that could go stale, and nothing in it leads a tool
// to the private repository. A Tree is for one goroutine at a time.
type Tree struct {
	repo     *Repo
	home     string    // trees/<id>
	owner    *fileLock // held as long as this process lives and has not closed the tree
	snapshot Snapshot
	applied  map[string]bool // paths written by Apply; reported by Changes although an ignore rule names them
}

// Checkout makes a scratch tree that holds exactly what the snapshot does. Close removes it; after a
// crash Sweep does.
func (r *Repo) Checkout(ctx context.Context, s Snapshot) (*Tree, error) {
	t, err := r.newTree(ctx)
	if err != nil {
		return nil, fmt.Errorf("make a scratch tree: %w", err)
	}
	t.snapshot = s
	_, err = t.run(ctx, "read-tree", s.Commit)
	if err == nil {
		err = t.restore(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make a scratch tree: %w", err), t.Close())
	}
	return t, nil
}

// newTree makes an empty tree. It has the repository's lock until the tree has an owner, so that Sweep
// never sees one without.
func (r *Repo) newTree(ctx context.Context) (*Tree, error) {
	unlock, err := r.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	home, err := os.MkdirTemp(filepath.Join(r.home, "trees"), "")
	if err != nil {
		return nil, err
	}
	owner, err := tryLockFile(filepath.Join(home, "owner"))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(home))
	}
	t := &Tree{repo: r, home: home, owner: owner, applied: map[string]bool{}}
	_, err = owner.WriteString(strconv.Itoa(os.Getpid()) + "\n") // for people; the lock is what counts
	if err == nil {
		err = os.Mkdir(t.Dir(), 0o700)
	}
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// Dir is the absolute path of the tree's root.
func (t *Tree) Dir() string { return filepath.Join(t.home, "work") }

// Snapshot is what the tree started from.
func (t *Tree) Snapshot() Snapshot { return t.snapshot }

// ReadFile gives the text of a file as it is in the tree now. The error matches fs.ErrNotExist for a
// path that is not there.
func (t *Tree) ReadFile(path string) ([]byte, error) {
	return workspace.Snapshot{Root: t.Dir()}.ReadFile(path)
}

// Close removes the tree. A second call does nothing.
func (t *Tree) Close() error {
	if t.owner == nil {
		return nil
	}
	err := removeAll(t.home)
	err = errors.Join(err, t.owner.Close())
	t.owner = nil
	return err
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

func (t *Tree) apply(root *os.Root, change patch.FileChange) error {
	t.applied[change.Path] = true
	switch change.Kind {
	case patch.Delete:
		return root.Remove(change.Path)
	case patch.Move:
		t.applied[change.From] = true
		mode := fs.FileMode(0o666)
		if info, err := root.Stat(change.From); err == nil {
			mode = info.Mode().Perm()
		}
		if err := write(root, change.Path, change.After, mode); err != nil {
			return err
		}
		return root.Remove(change.From)
	default:
		return write(root, change.Path, change.After, 0o666)
	}
}

// write fills a file of a scratch tree; mode is for a new one. In place is good enough here: a tree
// that is half written is thrown away.
func write(root *os.Root, name, text string, mode fs.FileMode) error {
	if err := root.MkdirAll(path.Dir(name), 0o777); err != nil {
		return err
	}
	if info, err := root.Stat(name); err == nil && !info.Mode().IsRegular() {
		return &patch.PathError{Path: name, Cause: "it is not a regular file"}
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// run calls git with the tree as its work tree and the tree's own index.
func (t *Tree) run(ctx context.Context, args ...string) ([]byte, error) {
	return t.repo.run(ctx, command{args: args, tree: t.Dir(), index: filepath.Join(t.home, "index")})
}
