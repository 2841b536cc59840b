package shadow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"forge/engine/gitdir"
	"forge/engine/workspace"
	"forge/internal/failpoint"
)

// The limits of the pool: the number of trees, and the bytes of their files.
const (
	maxIdle      = 2
	maxIdleBytes = 2 << 30
)

// Trees creates scratch trees, and keeps a pool of unused ones (docs/adr/0016).
type Trees struct {
	dir   *gitdir.Dir
	files *gitdir.Files
}

// Checkout creates a scratch tree with exactly the content of the snapshot. If possible it reuses one that
// an earlier run closed, and then only writes unverified files. Tree.Close returns it; after a crash Sweep
// removes it.
func (ts *Trees) Checkout(ctx context.Context, s Snapshot) (*Tree, error) {
	if t, err := ts.reuse(ctx, s); err == nil && t != nil {
		if err = t.start(ctx); err == nil {
			return t, nil
		}
		err = t.lease.remove() // a tree that cannot be reset, for example because of a mount: leave it, and create another
		if ctx.Err() != nil {
			return nil, errors.Join(fmt.Errorf("make a scratch tree: %w", ctx.Err()), err)
		}
	}
	t, err := ts.create(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("make a scratch tree: %w", err)
	}
	if err := t.start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("make a scratch tree: %w", err), t.lease.remove())
	}
	return t, nil
}

// reuse takes a tree from the pool, preferably one with the snapshot; nil if there is none.
func (ts *Trees) reuse(ctx context.Context, s Snapshot) (*Tree, error) {
	unlock, err := ts.dir.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	idles, err := ts.idles()
	if err != nil {
		return nil, err
	}
	if at := slices.IndexFunc(idles, func(i idle) bool { return i.commit == s.Commit }); at > 0 {
		idles = slices.Concat(idles[at:at+1], idles[:at], idles[at+1:])
	}
	for _, i := range idles {
		l, known, err := ts.claim(i)
		if err != nil {
			return nil, err
		}
		if l == nil {
			continue
		}
		t := ts.tree(l, known, s)
		if err := l.need(s.Commit); err != nil {
			return nil, errors.Join(err, t.lease.remove())
		}
		return t, nil
	}
	return nil, nil
}

// create creates an empty tree. It holds the repository's lock until the tree has an owner, so that
// Sweep never sees one without, and until its commit is recorded, so that GC keeps it.
func (ts *Trees) create(ctx context.Context, s Snapshot) (*Tree, error) {
	unlock, err := ts.dir.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	home, err := os.MkdirTemp(ts.inUse(), "")
	if err != nil {
		return nil, err
	}
	owner, err := gitdir.TryLock(filepath.Join(home, ownerFile))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(home))
	}
	failpoint.Hit(failTreeMade)
	t := ts.tree(&lease{home, owner}, manifest{}, s)
	_, err = owner.WriteString(strconv.Itoa(os.Getpid()) + "\n") // for users; only the lock matters
	if err == nil {
		err = t.lease.need(s.Commit)
	}
	if err == nil {
		err = os.Mkdir(t.Dir(), 0o700)
	}
	if err != nil {
		return nil, errors.Join(err, t.lease.remove())
	}
	return t, nil
}

func (ts *Trees) tree(l *lease, known manifest, s Snapshot) *Tree {
	held := &replica{dir: ts.dir, home: l.home, known: known}
	return &Tree{trees: ts, lease: l, held: held, links: links{dir: ts.dir, tree: held.root()}, snapshot: s, applied: map[string]bool{}}
}

func (ts *Trees) inUse() string { return filepath.Join(ts.dir.Home, "trees") }

func (ts *Trees) pool() string { return filepath.Join(ts.dir.Home, "pool") }

// idle is a tree in the pool, without an owner. Its content must be verified before use.
type idle struct {
	home   string
	commit string // its last commit
	bytes  int64
	age    int64 // when it was added, for the order
}

// idles lists the trees in the pool, the last added first.
func (ts *Trees) idles() ([]idle, error) {
	entries, err := os.ReadDir(ts.pool())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var found []idle
	for _, entry := range entries {
		found = append(found, readIdle(filepath.Join(ts.pool(), entry.Name())))
	}
	slices.SortStableFunc(found, func(a, b idle) int { return cmp.Compare(b.age, a.age) })
	return found, nil
}

// readIdle reads the file of park. An unreadable one counts as the oldest, which is removed first.
func readIdle(home string) idle {
	i := idle{home: home}
	name := filepath.Join(home, "idle")
	text, err := os.ReadFile(name) //nolint:gosec // our own file
	if err != nil {
		return i
	}
	info, err := os.Lstat(name)
	if err != nil {
		return i
	}
	commit, size, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	if i.bytes, err = strconv.ParseInt(size, 10, 64); err != nil {
		return i
	}
	i.commit, i.age = commit, info.ModTime().UnixNano()
	return i
}

// claim takes one tree of the pool; nil means that another process has it, or that it cannot be verified.
func (ts *Trees) claim(i idle) (*lease, manifest, error) {
	owner, err := gitdir.TryLock(filepath.Join(i.home, ownerFile))
	if errors.Is(err, workspace.ErrLocked) || errors.Is(err, fs.ErrNotExist) {
		return nil, manifest{}, nil
	}
	if err != nil {
		return nil, manifest{}, err
	}
	l := &lease{filepath.Join(ts.inUse(), filepath.Base(i.home)), owner}
	if err := os.Rename(i.home, l.home); errors.Is(err, fs.ErrNotExist) {
		return nil, manifest{}, l.end()
	} else if err != nil {
		return nil, manifest{}, errors.Join(err, l.end())
	}
	failpoint.Hit(failTreeTaken)
	known, err := readManifest(filepath.Join(l.home, manifestFile))
	if err != nil {
		return nil, manifest{}, l.remove()
	}
	return l, known, nil
}

// manifestFile is the name of a pooled tree's manifest.
const manifestFile = "manifest"

// park puts a tree into the pool: it removes files that are not verified to be of its commit, such as build
// output, and records the rest. The rename comes last: a tree of a killed process is swept, not reused.
func (ts *Trees) park(t *Tree) error {
	if gitdir.BootID() == "" {
		return errors.New("this system gives no proof of what a tree holds")
	}
	if err := t.held.clean(); err != nil {
		return err
	}
	home, known := t.lease.home, t.held.known
	if err := known.write(filepath.Join(home, manifestFile)); err != nil {
		return err
	}
	var bytes int64
	for _, h := range known.files {
		bytes += h.stamp.Size
	}
	for _, name := range []string{"index", "index.lock", "needs", runFile} {
		if err := os.Remove(filepath.Join(home, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	name, now := filepath.Join(home, "idle"), time.Now()
	if err := os.WriteFile(name, fmt.Appendf(nil, "%s %d\n", known.commit, bytes), 0o600); err != nil {
		return err
	}
	// File systems give all writes within a few milliseconds the same time, and trees are ordered by nanoseconds.
	if err := os.Chtimes(name, now, now); err != nil {
		return err
	}
	failpoint.Hit(failTreePark)
	if err := os.MkdirAll(ts.pool(), 0o700); err != nil {
		return err
	}
	if err := os.Rename(home, filepath.Join(ts.pool(), filepath.Base(home))); err != nil {
		return err
	}
	failpoint.Hit(failTreeParked)
	return nil
}

// shrink removes the oldest trees until the pool is within its limits. It skips trees that other processes take
// at this moment, and needs no lock but the trees' own.
func (ts *Trees) shrink(count int, bytes int64) error {
	idles, err := ts.idles()
	if err != nil {
		return err
	}
	var sum int64
	var errs []error
	for n, i := range idles {
		sum += i.bytes
		if n < count && sum <= bytes && i.age > 0 {
			continue
		}
		l, _, err := ts.claim(i)
		if l != nil {
			err = l.remove()
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Sweep removes the scratch trees of dead owners, and returns their number. It never touches a tree in use,
// here or in another process, and one in the pool only if the pool is over its limits. Call it at start-up.
func (ts *Trees) Sweep(ctx context.Context) (removed int, err error) {
	unlock, err := ts.dir.Lock(ctx)
	if err != nil {
		return 0, fmt.Errorf("sweep scratch trees: %w", err)
	}
	defer unlock()
	trees, err := os.ReadDir(ts.inUse())
	if err != nil {
		return 0, fmt.Errorf("sweep scratch trees: %w", err)
	}
	var errs []error
	for _, entry := range trees {
		gone, err := sweepTree(filepath.Join(ts.inUse(), entry.Name()))
		if err != nil {
			errs = append(errs, fmt.Errorf("sweep scratch trees: %w", err))
		}
		if gone {
			removed++
		}
	}
	if err := ts.shrink(maxIdle, maxIdleBytes); err != nil {
		errs = append(errs, fmt.Errorf("sweep scratch trees: %w", err))
	}
	return removed, errors.Join(errs...)
}

// sweepTree removes one tree if its lock is free. One without a lock file is incomplete: a tree gets
// its owner under the repository's lock, which the caller has.
func sweepTree(home string) (bool, error) {
	owner, err := gitdir.TryLock(filepath.Join(home, ownerFile))
	switch {
	case errors.Is(err, workspace.ErrLocked):
		return false, nil
	case errors.Is(err, os.ErrNotExist):
		return false, nil // closed by its owner since
	case err != nil:
		return false, err
	}
	err = (&lease{home, owner}).remove()
	return err == nil, err
}

// needed returns the commits of trees with an owner.
func (ts *Trees) needed() (map[string]bool, error) {
	lists, err := workspace.Matching(ts.inUse(), "*/needs")
	if err != nil {
		return nil, err
	}
	ids := map[string]bool{}
	for _, list := range lists {
		text, err := os.ReadFile(list) //nolint:gosec // our own file
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		for id := range strings.FieldsSeq(string(text)) {
			ids[id] = true
		}
	}
	return ids, nil
}

// TreeAt returns the root of the scratch tree, of any workspace with its shadow below stateDir, that contains a folder; empty if
// none does.
func TreeAt(stateDir, folder string) string {
	state, err := workspace.RealRoot(stateDir)
	if err != nil {
		return ""
	}
	shadows := filepath.Join(state, "shadow")
	inside, err := filepath.Rel(shadows, folder)
	if err != nil {
		return ""
	}
	parts := strings.Split(filepath.ToSlash(inside), "/") // <hash>/trees/<id>/work
	if len(parts) < 4 || parts[0] == ".." || parts[1] != "trees" || parts[3] != workFolder {
		return ""
	}
	return filepath.Join(append([]string{shadows}, parts[:4]...)...)
}
