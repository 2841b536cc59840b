package workspace

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

func quote(text string) string { return strconv.Quote(text) }

// faulty lets the first operations through, fails one, and lets the rest through: a disk that is full
// for a moment, a folder without rights, a broken cable.
type faulty struct {
	folder
	left *int // operations until the failure
	err  error
	// before is called ahead of each operation; nil does nothing.
	before func(operation, name string)
}

func (f faulty) fails(operation, name string) bool {
	if f.before != nil {
		f.before(operation, name)
	}
	return countDown(f.left) == 0
}

var counting sync.Mutex // guards the counters of operations: files are synced at the same time

func countDown(left *int) int {
	counting.Lock()
	defer counting.Unlock()
	*left--
	return *left
}

func (f faulty) OpenFile(name string, flag int, perm fs.FileMode) (file, error) {
	if f.fails("open", name) {
		return nil, f.err
	}
	opened, err := f.folder.OpenFile(name, flag, perm)
	return faultyFile{opened, f}, err
}

func (f faulty) Mkdir(name string, perm fs.FileMode) error {
	if f.fails("mkdir", name) {
		return f.err
	}
	return f.folder.Mkdir(name, perm)
}

func (f faulty) Rename(from, to string) error {
	if f.fails("rename", to) {
		return f.err
	}
	return f.folder.Rename(from, to)
}

func (f faulty) Link(from, to string) error {
	if f.fails("link", to) {
		return f.err
	}
	return f.folder.Link(from, to)
}

func (f faulty) Remove(name string) error {
	if f.fails("remove", name) {
		return f.err
	}
	return f.folder.Remove(name)
}

func (f faulty) Lstat(name string) (fs.FileInfo, error) {
	if f.fails("lstat", name) {
		return nil, f.err
	}
	return f.folder.Lstat(name)
}

type faultyFile struct {
	file
	on faulty
}

func (f faultyFile) Write(p []byte) (int, error) {
	if f.on.fails("write", "") {
		n, _ := f.file.Write(p[:len(p)/2]) // a full disk takes what still fits
		return n, f.on.err
	}
	return f.file.Write(p)
}

func (f faultyFile) Sync() error {
	if f.on.fails("sync", "") {
		return f.on.err
	}
	return nil // only a power cut would show
}

func (f faultyFile) Close() error {
	err := f.file.Close()
	if f.on.fails("close", "") {
		return f.on.err
	}
	return err
}

func (f faultyFile) Chmod(mode fs.FileMode) error {
	if f.on.fails("chmod", "") {
		return f.on.err
	}
	return f.file.Chmod(mode)
}

func changes() []FileWrite {
	return []FileWrite{
		{Path: "a.txt", Content: []byte("new a"), Base: base("old a")},
		{Path: "sub/b.txt", Content: []byte("new b"), Base: base("old b")},
		{Path: "gone.txt", Delete: true, Base: base("old gone")},
		{Path: "made/for/c.txt", Content: []byte("new c")},
		{Path: "z.txt", Content: []byte("new z"), Base: base("old z")},
	}
}

func prepared(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for path, content := range map[string]string{"a.txt": "old a", "sub/b.txt": "old b", "gone.txt": "old gone", "z.txt": "old z"} {
		put(t, root, path, content)
	}
	return root
}

// Each operation of a write fails once, in the user's folder and in the journal. Whatever fails, the folder
// is all old, or all new with no error, and nothing is left in the journal.
func TestWrite_AnyFailureLeavesAllOldOrAllNew(t *testing.T) {
	t.Parallel()
	want := prepared(t)
	require.NoError(t, writeOnce(t, want, changes()))
	allNew := tree(t, want)
	as := func(in folder) folder { return in }
	for _, cause := range testkit.Sample(1, []error{syscall.ENOSPC, syscall.EIO, syscall.EACCES, syscall.EROFS}) {
		t.Run(cause.Error(), func(t *testing.T) {
			t.Parallel()
			require.Greater(t, failEach(t, allNew, func(t *testing.T, root string, left *int) error {
				return writeBetween(t, root, func(in folder) folder { return faulty{folder: in, left: left, err: cause} }, as)
			}, cause), 40)
		})
		t.Run("in the journal: "+cause.Error(), func(t *testing.T) {
			t.Parallel()
			require.Greater(t, failEach(t, allNew, func(t *testing.T, root string, left *int) error {
				return writeBetween(t, root, as, func(in folder) folder { return faulty{folder: in, left: left, err: cause} })
			}, cause), 8)
		})
	}
}

// failEach lets write fail at each step in turn, and counts the steps that made it fail.
func failEach(t *testing.T, allNew map[string]string, write func(t *testing.T, root string, left *int) error, cause error) (failures int) {
	t.Helper()
	for step := 1; ; step++ {
		root := prepared(t)
		allOld := tree(t, root)
		left := step
		if err := write(t, root, &left); err == nil {
			require.Empty(t, cmp.Diff(allNew, tree(t, root)), "step %d", step)
		} else {
			failures++
			require.ErrorIs(t, err, cause)
			require.Empty(t, cmp.Diff(allOld, tree(t, root)), "step %d: %v", step, err)
		}
		if left > 0 { // the failure was never reached: every step had its turn
			return failures
		}
	}
}

// writeIn writes changes through a folder put in between.
func writeIn(t *testing.T, root string, wrap func(folder) folder) error {
	t.Helper()
	return writeBetween(t, root, wrap, func(notes folder) folder { return notes })
}

// writeBetween puts folders between the writer and both folders that it writes, and ends the entry.
func writeBetween(t *testing.T, root string, in, notes func(folder) folder) error {
	t.Helper()
	opened, err := os.OpenRoot(root)
	require.NoError(t, err)
	defer opened.Close() //nolint:errcheck // a test's own folder
	j := Journal{Dir: t.TempDir()}
	journal, err := os.OpenRoot(j.Dir)
	require.NoError(t, err)
	defer journal.Close() //nolint:errcheck // a test's own folder
	p, err := j.write(t.Context(), in(newInside(opened)), notes(osFolder{journal}), root, changes(), nil)
	if err == nil {
		err = p.Finish(nil)
	}
	if err == nil { // what could not be cleared after success is left to the next one
		_, recovered := j.Recover(t.Context(), root, settled)
		require.NoError(t, recovered)
	}
	requireNoEntry(t, j)
	return err
}

// settled has nothing to record.
func settled(context.Context, Recovered) error { return nil }

func requireNoEntry(t *testing.T, j Journal) {
	t.Helper()
	left, err := os.ReadDir(j.Dir)
	require.NoError(t, err)
	require.Empty(t, left, "the journal")
}

func TestWrite_FullDiskNamesTheFix(t *testing.T) {
	t.Parallel()
	for cause, want := range map[error]string{
		syscall.ENOSPC: "make room", syscall.EROFS: "read-only", syscall.EACCES: "permissions", syscall.EIO: "",
	} {
		require.Contains(t, advice(fmt.Errorf("a.txt: %w", cause)), want)
	}
}

// Without hard links a copy serves as the way back.
func TestWrite_WithoutHardLinks(t *testing.T) {
	t.Parallel()
	for _, step := range []int{1, 2, 3} {
		t.Run(fmt.Sprintf("rename %d fails", step), func(t *testing.T) {
			t.Parallel()
			root := prepared(t)
			before := tree(t, root)
			renames := step
			require.ErrorIs(t, writeIn(t, root, func(in folder) folder { return &linkless{in, &renames} }), syscall.EIO)
			require.Empty(t, cmp.Diff(before, tree(t, root)))
		})
	}
	t.Run("all goes well", func(t *testing.T) {
		t.Parallel()
		root, never := prepared(t), 0
		require.NoError(t, writeIn(t, root, func(in folder) folder { return &linkless{in, &never} }))
		require.Contains(t, tree(t, root)["z.txt"], "new z")
		for path := range tree(t, root) {
			require.False(t, strings.HasSuffix(path, ".tmp"), path)
		}
	})
}

type linkless struct {
	folder
	renames *int
}

func (l *linkless) Link(string, string) error { return syscall.EPERM }

func (l *linkless) Rename(from, to string) error {
	*l.renames--
	if *l.renames == 0 {
		return syscall.EIO
	}
	return l.folder.Rename(from, to)
}

// Someone saves the last file while the first ones are being renamed: their text stays, ours is undone.
func TestWrite_ASaveDuringTheRenamesWins(t *testing.T) {
	t.Parallel()
	root := prepared(t)
	before, left := tree(t, root), -1
	err := writeIn(t, root, func(in folder) folder {
		return faulty{folder: in, left: &left, before: func(operation, name string) {
			if operation == "rename" && name == "a.txt" {
				require.NoError(t, os.WriteFile(filepath.Join(root, "z.txt"), []byte("saved by hand"), 0o600))
			}
		}}
	})
	var stale *StaleError
	require.ErrorAs(t, err, &stale)
	got := tree(t, root)
	require.Contains(t, got["z.txt"], "saved by hand")
	got["z.txt"] = before["z.txt"]
	require.Empty(t, cmp.Diff(before, got))
}

// The twin: writing in place, which this package never does, does lose the old text on a full disk.
func TestWrite_InPlaceWouldLoseText(t *testing.T) {
	t.Parallel()
	root := prepared(t)
	opened, err := os.OpenRoot(root)
	require.NoError(t, err)
	defer opened.Close() //nolint:errcheck // a test's own folder
	left := 2            // open goes well, write does not
	in := faulty{folder: newInside(opened), left: &left, err: syscall.ENOSPC}
	f, err := in.OpenFile("a.txt", os.O_WRONLY|os.O_TRUNC, 0)
	require.NoError(t, err)
	_, err = f.Write([]byte("new a"))
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.NoError(t, f.Close())
	require.NotContains(t, tree(t, root)["a.txt"], "old a")
}
