package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// errDead is what a dead process gets from everything.
var errDead = errors.New("the process is dead")

// mortal is a folder whose process dies after some operations: of the last one a half happens, and none of
// those that follow. Nothing is synced, which only a power cut would show.
type mortal struct {
	folder
	left *int // operations until death
}

func (m mortal) dead() bool {
	return countDown(m.left) <= 0
}

func (m mortal) OpenFile(name string, flag int, perm fs.FileMode) (file, error) {
	if m.dead() {
		return nil, errDead
	}
	f, err := m.folder.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return mortalFile{f, m}, nil
}

func (m mortal) Mkdir(name string, perm fs.FileMode) error {
	if m.dead() {
		return errDead
	}
	return m.folder.Mkdir(name, perm)
}

func (m mortal) Rename(from, to string) error {
	if m.dead() {
		return errDead
	}
	return m.folder.Rename(from, to)
}

func (m mortal) Link(from, to string) error {
	if m.dead() {
		return errDead
	}
	return m.folder.Link(from, to)
}

func (m mortal) Remove(name string) error {
	if m.dead() {
		return errDead
	}
	return m.folder.Remove(name)
}

type mortalFile struct {
	file
	of mortal
}

func (f mortalFile) Write(p []byte) (int, error) {
	if f.of.dead() {
		n := 0
		if *f.of.left == 0 { // its last breath
			n, _ = f.file.Write(p[:len(p)/2])
		}
		return n, errDead
	}
	return f.file.Write(p)
}

func (f mortalFile) Truncate(size int64) error {
	if f.of.dead() {
		return errDead
	}
	return f.file.Truncate(size)
}

func (f mortalFile) Sync() error { return nil }

// life is a folder, a journal and a ledger that several processes live on, one after the other.
type life struct {
	t      *testing.T
	root   string
	j      Journal
	ledger map[string]string // payloads by the id of their entry
}

func newLife(t *testing.T) *life {
	t.Helper()
	return &life{t: t, root: prepared(t), j: Journal{Dir: t.TempDir()}, ledger: map[string]string{}}
}

// folders opens both folders for a process that dies after so many operations.
func (l *life) folders(left *int) (in, notes mortal, done func()) {
	root, err := os.OpenRoot(l.root)
	require.NoError(l.t, err)
	dir, err := os.OpenRoot(l.j.Dir)
	require.NoError(l.t, err)
	return mortal{newInside(root), left}, mortal{osFolder{dir}, left}, func() {
		require.NoError(l.t, errors.Join(root.Close(), dir.Close()))
	}
}

// write writes, records and finishes, unless the process dies before.
func (l *life) write(left *int) {
	l.t.Helper()
	in, notes, done := l.folders(left)
	defer done()
	p, err := l.j.write(l.t.Context(), in, notes, l.root, changes(), []byte("payload"))
	if err != nil {
		require.ErrorIs(l.t, err, errDead)
		return
	}
	_ = p.Finish(func() error {
		if in.dead() {
			return errDead
		}
		l.ledger[p.ID] = "payload"
		return nil
	})
}

// recover recovers, unless the process dies before.
func (l *life) recover(left *int) []Notice {
	l.t.Helper()
	in, notes, done := l.folders(left)
	defer done()
	r := recovery{in: in, notes: notes, dir: l.j.Dir, root: l.root, settle: func(_ context.Context, r Recovered) error {
		if in.dead() {
			return errDead
		}
		require.True(l.t, r.Committed)
		l.ledger[r.ID] = string(r.Payload)
		return nil
	}}
	err := r.all(l.t.Context(), l.j.names)
	if *left > 0 {
		require.NoError(l.t, err)
	}
	return r.notices
}

// immortal is a life that is long enough for everything.
func immortal() *int {
	long := 1 << 20
	return &long
}

// requireWhole demands all old without a record, or all new with one, and nothing else anywhere.
func (l *life) requireWhole(allNew map[string]string, about ...any) {
	l.t.Helper()
	want := prepared(l.t)
	if len(l.ledger) > 0 {
		require.Empty(l.t, cmp.Diff(allNew, tree(l.t, l.root)), about...)
	} else {
		require.Empty(l.t, cmp.Diff(tree(l.t, want), tree(l.t, l.root)), about...)
	}
	requireNoEntry(l.t, l.j)
}

func newTree(t *testing.T) map[string]string {
	t.Helper()
	l := newLife(t)
	l.write(immortal())
	return tree(t, l.root)
}

// The process is killed at every operation; the next one makes the folder whole, and the ledger agrees.
func TestRecover_AfterAKillAtAnyStep(t *testing.T) {
	t.Parallel()
	allNew := newTree(t)
	old, recorded := 0, 0
	for step := 1; ; step++ {
		l, left := newLife(t), step
		l.write(&left)
		l.recover(immortal())
		l.requireWhole(allNew, "killed at step %d", step)
		if recorded += len(l.ledger); len(l.ledger) == 0 {
			old++
		}
		if left > 0 {
			break
		}
	}
	require.Greater(t, old, 30)
	require.Greater(t, recorded, 5)
}

// The recovery is killed, too, at every operation, and so is the next one.
func TestRecover_AfterAKilledRecovery(t *testing.T) {
	t.Parallel()
	allNew := newTree(t)
	for step := 1; ; step += 3 { // every third: the product of both is what takes time
		for cut := 1; ; cut++ {
			l, left, short := newLife(t), step, cut
			l.write(&left)
			if left > 0 {
				return
			}
			l.recover(&short)
			again := cut/2 + 1
			l.recover(&again)
			l.recover(immortal())
			l.requireWhole(allNew, "killed at step %d, recovery at %d", step, cut)
			if short > 0 {
				break
			}
		}
	}
}

// Whatever the user writes or removes between the crash and the recovery is as they left it afterwards.
func TestRecover_NeverOverwritesTheUser(t *testing.T) {
	t.Parallel()
	conflicts := 0
	for step := 1; ; step++ {
		ended := false
		for _, path := range []string{"a.txt", "sub/b.txt", "gone.txt", "made/for/c.txt", "z.txt"} {
			l, left := newLife(t), step
			l.write(&left)
			ended = left > 0
			put(t, l.root, path, "by hand")
			notices := l.recover(immortal())
			require.Contains(t, tree(t, l.root)[path], `"by hand"`, "killed at step %d", step)
			for name := range tree(t, l.root) {
				require.NotContains(t, name, tempPrefix, "killed at step %d", step)
			}
			conflicts += l.requireKept(notices, path, step)
		}
		if ended {
			break
		}
	}
	require.Greater(t, conflicts, 20)
}

// A folder that was being written in is something else by the time of the recovery: nothing is found there, nothing is written there, and the
// entry goes. It must not keep each later command from its work.
func TestRecover_EndsWhereAFolderWasReplaced(t *testing.T) {
	t.Parallel()
	for name, replace := range map[string]func(root, sub string) error{
		"nothing":                  func(string, string) error { return nil },
		"a file":                   func(_, sub string) error { return os.WriteFile(sub, []byte("by hand"), 0o600) },
		"a link":                   func(_, sub string) error { return os.Symlink("made", sub) },
		"a link out of the folder": func(_, sub string) error { return os.Symlink(t.TempDir(), sub) },
		"a bare repository": func(root, _ string) error {
			return errors.Join(os.MkdirAll(filepath.Join(root, "sub", "objects"), 0o700), os.MkdirAll(filepath.Join(root, "sub", "refs"), 0o700),
				os.WriteFile(filepath.Join(root, "sub", "HEAD"), nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reported := 0
			for step, ended := 1, false; !ended; step++ {
				l, left := newLife(t), step
				l.write(&left)
				ended = left > 0
				sub := filepath.Join(l.root, "sub")
				require.NoError(t, errors.Join(os.RemoveAll(sub), replace(l.root, sub)))
				for _, n := range l.recover(immortal()) {
					if strings.HasPrefix(n.Text, "sub/b.txt and its old text were removed") {
						reported++
					}
				}
				requireNoEntry(t, l.j)
				require.Empty(t, l.recover(immortal()), "killed at step %d", step)
				want := "old a"
				if len(l.ledger) > 0 {
					want = "new a"
				}
				got := tree(t, l.root)
				require.Contains(t, got["a.txt"], want, "killed at step %d", step)
				for name := range got {
					require.NotContains(t, name, tempPrefix, "killed at step %d", step)
				}
			}
			require.Positive(t, reported)
		})
	}
}

// requireKept demands that the old text of a file is somewhere when a notice names the file.
func (l *life) requireKept(notices []Notice, path string, step int) int {
	l.t.Helper()
	old := map[string]string{"a.txt": "old a", "sub/b.txt": "old b", "gone.txt": "old gone", "z.txt": "old z"}
	for _, n := range notices {
		if !strings.HasPrefix(n.Text, path) || old[path] == "" {
			continue
		}
		_, name, told := strings.Cut(n.Text, "its old text is in ")
		require.True(l.t, told, "step %d: %s", step, n.Text)
		text, err := os.ReadFile(name) //nolint:gosec // a test's own folder
		require.NoError(l.t, err)
		require.Equal(l.t, old[path], string(text))
		require.True(l.t, strings.HasPrefix(name, filepath.Join(l.j.Dir, keptFolder)), name)
		return 1
	}
	return 0
}

// The twin: without recovery there are steps after which the folder is neither old nor new.
func TestWrite_KilledWithoutRecoveryIsMixed(t *testing.T) {
	t.Parallel()
	allNew, allOld := newTree(t), tree(t, prepared(t))
	mixed := 0
	for step := 1; ; step++ {
		l, left := newLife(t), step
		l.write(&left)
		if got := tree(t, l.root); !cmp.Equal(got, allOld) && !cmp.Equal(got, allNew) {
			mixed++
		}
		if left > 0 {
			break
		}
	}
	require.Greater(t, mixed, 20)
}
