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
	"strings"

	"forge/engine/workspace"
	"forge/internal/failpoint"
	"forge/internal/plain"
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
	base     listing         // what the snapshot holds
	known    manifest        // what the tree was brought to last, and what is known of its files since
	indexed  string          // the commit that the tree's index describes; empty: there is none
	applied  map[string]bool // paths written by Apply; reported by Changes although an ignore rule names them
	borrowed map[string]bool // folders of installed packages and generated files that were made visible in the tree; see borrow

	generated []string // files of the workspace that are lent, where the tree has none of the name; see findGenerated
}

// Checkout makes a scratch tree that holds exactly what the snapshot does. It takes one that an earlier run
// closed, if there is one, and then writes only what is not proven to be in it (docs/adr/0016). Close gives it
// back; after a crash Sweep removes it.
func (r *Repo) Checkout(ctx context.Context, s Snapshot) (*Tree, error) {
	t, err := r.takeTree(ctx, s)
	if err == nil && t != nil {
		if err = t.start(ctx, s); err == nil {
			return t, nil
		}
		err = t.remove() // a tree that resists, with a mount in it perhaps: leave it, and make another
		if ctx.Err() != nil {
			return nil, errors.Join(fmt.Errorf("make a scratch tree: %w", ctx.Err()), err)
		}
	}
	t, err = r.newTree(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("make a scratch tree: %w", err)
	}
	if err := t.start(ctx, s); err != nil {
		return nil, errors.Join(fmt.Errorf("make a scratch tree: %w", err), t.remove())
	}
	return t, nil
}

// start makes the tree one of the snapshot.
func (t *Tree) start(ctx context.Context, s Snapshot) error {
	t.generated = nil
	if err := t.bring(ctx, s.Commit); err != nil {
		return err
	}
	t.snapshot, t.base = s, t.known.listing()
	if t.generated = t.repo.findGenerated(t.base); len(t.generated) == 0 {
		return nil
	}
	return t.borrowGenerated(t.base.folders())
}

// takeTree takes a tree out of the pool; nil means that there is none.
func (r *Repo) takeTree(ctx context.Context, s Snapshot) (*Tree, error) {
	unlock, err := r.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	t, err := r.take(s.Commit)
	if t == nil || err != nil {
		return nil, err
	}
	if err := t.need(s.Commit); err != nil {
		return nil, errors.Join(err, t.remove())
	}
	return t, nil
}

// newTree makes an empty tree. It has the repository's lock until the tree has an owner, so that Sweep
// never sees one without, and until it says which commit it needs, so that GC spares it.
func (r *Repo) newTree(ctx context.Context, s Snapshot) (*Tree, error) {
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
	failpoint.Hit(failTreeMade)
	t := &Tree{repo: r, home: home, owner: owner, applied: map[string]bool{}}
	_, err = owner.WriteString(strconv.Itoa(os.Getpid()) + "\n") // for people; the lock is what counts
	if err == nil {
		err = t.need(s.Commit)
	}
	if err == nil {
		err = os.Mkdir(t.Dir(), 0o700)
	}
	if err != nil {
		return nil, errors.Join(err, t.remove())
	}
	return t, nil
}

// need notes a commit that the tree goes back to: GC keeps it as long as the tree has an owner.
func (t *Tree) need(commit string) error {
	f, err := os.OpenFile(filepath.Join(t.home, "needs"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(commit + "\n")
	return errors.Join(err, f.Close())
}

// Dir is the absolute path of the tree's root.
func (t *Tree) Dir() string { return filepath.Join(t.home, "work") }

// Origin is the workspace that the tree is a copy of, as a path without links.
func (t *Tree) Origin() string { return t.repo.root }

// TreeAt gives the root of the scratch tree, of any workspace with its shadow below stateDir, that a folder lies in; empty when it lies in none.
func TreeAt(stateDir, folder string) string {
	state, err := realPath(stateDir)
	if err != nil {
		return ""
	}
	shadows := filepath.Join(state, "shadow")
	inside, err := filepath.Rel(shadows, folder)
	if err != nil {
		return ""
	}
	parts := strings.Split(filepath.ToSlash(inside), "/") // <hash>/trees/<id>/work
	if len(parts) < 4 || parts[0] == ".." || parts[1] != "trees" || parts[3] != "work" {
		return ""
	}
	return filepath.Join(append([]string{shadows}, parts[:4]...)...)
}

// Snapshot is what the tree started from.
func (t *Tree) Snapshot() Snapshot { return t.snapshot }

// ReadFile gives the text of a file as it is in the tree now. The error matches fs.ErrNotExist for a
// path that is not there.
func (t *Tree) ReadFile(path string) ([]byte, error) {
	return workspace.Snapshot{Root: t.Dir()}.ReadFile(path)
}

// Close ends the use of the tree. It goes to the pool, for a later Checkout, or is removed where that is not
// possible or the pool is full. A second call does nothing.
func (t *Tree) Close() error {
	if t.owner == nil {
		return nil
	}
	failpoint.Hit(failTreeClose)
	if err := t.park(); err != nil {
		return t.remove()
	}
	err := t.owner.Close()
	t.owner = nil
	return errors.Join(err, t.repo.shrink(maxIdle, maxIdleBytes))
}

// remove ends the use of the tree and removes it.
func (t *Tree) remove() error {
	failpoint.Hit(failTreeRemove)
	err := removeTree(t.home)
	err = errors.Join(err, t.owner.Close())
	t.owner = nil
	failpoint.Hit(failTreeRemoved)
	return err
}

// removeTree removes a tree whose lock we have. The lock file goes last: until then nobody else has the tree.
func removeTree(home string) error {
	entries, err := os.ReadDir(home)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, entry := range entries {
		if entry.Name() != "owner" {
			err = errors.Join(err, removeAll(filepath.Join(home, entry.Name())))
		}
	}
	if err != nil {
		return err
	}
	return removeAll(home)
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
	if err := t.takesOver(root, change.Path); err != nil {
		return err
	}
	name, err := place(root, change.Path)
	if err != nil {
		return err
	}
	t.applied[change.Path] = true
	switch change.Kind {
	case patch.Delete:
		return root.Remove(change.Path)
	case patch.Move:
		if _, err := place(root, change.From); err != nil {
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

// place is where a path leads in a scratch tree. What links lead out of it, or into a git directory, is refused here as it
// would be in the folder.
func place(root *os.Root, name string) (string, error) { return workspace.RealPath(root, name) }

// write fills a file of a scratch tree; mode is for a new one. In place is good enough here: a tree
// that is half written is thrown away. Code of the tree may have put anything in its place, so nothing is waited for.
func write(root *os.Root, name, text string, mode fs.FileMode) error {
	if err := root.MkdirAll(path.Dir(name), 0o777); err != nil {
		return err
	}
	if info, err := root.Stat(name); err == nil && !info.Mode().IsRegular() {
		return &patch.PathError{Path: name, Cause: "it is not a regular file"}
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|plain.Flags, mode)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

func (t *Tree) indexFile() string { return filepath.Join(t.home, "index") }

// run calls git with the tree as its work tree and the tree's own index.
func (t *Tree) run(ctx context.Context, args ...string) ([]byte, error) {
	return t.repo.run(ctx, command{args: args, tree: t.Dir(), index: t.indexFile()})
}
