package shadow

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"forge/internal/failpoint"
)

// How many trees wait for their next use, and how many bytes their files take together.
const (
	maxIdle      = 2
	maxIdleBytes = 2 << 30
)

// idle is a tree in the pool. Nobody owns it; who takes it has to prove what is in it.
type idle struct {
	home   string
	commit string // what it was brought to last
	bytes  int64
	age    int64 // when it came, for an order
}

// park puts a tree into the pool: what is not known to be of its commit is removed now, so that no build product
// takes room, and the rest is named. The rename comes last: a tree of a killed process is swept, not reused.
func (t *Tree) park() error {
	if bootID() == "" {
		return errors.New("this system gives no proof of what a tree holds")
	}
	files, err := t.prove(t.known.listing())
	if err != nil {
		return err
	}
	t.known.files = files
	if err := t.known.write(filepath.Join(t.home, "manifest")); err != nil {
		return err
	}
	var bytes int64
	for _, h := range files {
		bytes += h.stamp.Size
	}
	for _, name := range []string{"index", "index.lock", "needs"} {
		if err := os.Remove(filepath.Join(t.home, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	name, now := filepath.Join(t.home, "idle"), time.Now()
	if err := os.WriteFile(name, fmt.Appendf(nil, "%s %d\n", t.known.commit, bytes), 0o600); err != nil {
		return err
	}
	// File systems give all that is written within a few milliseconds one time, and the order of trees is theirs to the nanosecond.
	if err := os.Chtimes(name, now, now); err != nil {
		return err
	}
	failpoint.Hit(failTreePark)
	if err := os.MkdirAll(t.repo.pool(), 0o700); err != nil {
		return err
	}
	if err := os.Rename(t.home, filepath.Join(t.repo.pool(), filepath.Base(t.home))); err != nil {
		return err
	}
	failpoint.Hit(failTreeParked)
	return nil
}

func (r *Repo) pool() string { return filepath.Join(r.home, "pool") }

// idles lists the trees in the pool, the one that came last first.
func (r *Repo) idles() ([]idle, error) {
	entries, err := os.ReadDir(r.pool())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var found []idle
	for _, entry := range entries {
		found = append(found, readIdle(filepath.Join(r.pool(), entry.Name())))
	}
	slices.SortStableFunc(found, func(a, b idle) int { return cmp.Compare(b.age, a.age) })
	return found, nil
}

// readIdle reads what park noted. What cannot be read counts as the oldest, which goes first.
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

// take moves a tree out of the pool, one that holds the commit if there is one, and makes it ours. Nil means
// that there is none. The caller has the repository's lock.
func (r *Repo) take(commit string) (*Tree, error) {
	idles, err := r.idles()
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(idles, func(a, b idle) int {
		return cmp.Compare(boolInt(b.commit == commit), boolInt(a.commit == commit))
	})
	for _, i := range idles {
		t, err := r.claim(i)
		if t != nil || err != nil {
			return t, err
		}
	}
	return nil, nil
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// claim takes one tree of the pool; nil means that another process has it, or that it proves nothing.
func (r *Repo) claim(i idle) (*Tree, error) {
	owner, err := tryLockFile(filepath.Join(i.home, "owner"))
	if errors.Is(err, errLocked) || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	t := &Tree{repo: r, home: filepath.Join(r.home, "trees", filepath.Base(i.home)), owner: owner, applied: map[string]bool{}}
	if err := os.Rename(i.home, t.home); err != nil {
		return nil, errors.Join(ignoreMissing(err), owner.Close())
	}
	failpoint.Hit(failTreeTaken)
	known, err := readManifest(filepath.Join(t.home, "manifest"))
	if err != nil {
		return nil, t.remove()
	}
	t.known = known
	return t, nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// shrink removes the trees that came longest ago until the pool is within its bounds. Trees that others take at
// this moment are theirs. It needs no lock but the trees' own.
func (r *Repo) shrink(count int, bytes int64) error {
	idles, err := r.idles()
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
		t, err := r.claim(i)
		if t != nil {
			err = t.remove()
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
