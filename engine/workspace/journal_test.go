package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// recoverWith recovers a folder and collects what was to be settled.
func recoverWith(t *testing.T, j Journal, root string, answer error) ([]Recovered, []Notice, error) {
	t.Helper()
	var settled []Recovered
	notices, err := j.Recover(t.Context(), root, func(_ context.Context, r Recovered) error {
		settled = append(settled, r)
		return answer
	})
	return settled, notices, err
}

// Another program writes this entry's change. When its process dies, the entry's state settles it.
func TestRecover_SettlesAnEntryOfAnEditor(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(t *testing.T, p *Pending)
		want []Recovered // but for the id
	}{
		"before an answer": {func(*testing.T, *Pending) {}, []Recovered{{Payload: []byte("planned")}}},
		"finished":         {func(t *testing.T, p *Pending) { require.NoError(t, p.Finish(nil)) }, nil},
		"not recorded": {func(t *testing.T, p *Pending) {
			require.ErrorIs(t, p.Finish(func() error { return syscall.EIO }), syscall.EIO)
		}, []Recovered{{Payload: []byte("planned")}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j, root := Journal{Dir: filepath.Join(t.TempDir(), "journal")}, prepared(t)
			before := tree(t, root)
			p, err := j.Begin(t.Context(), root, []byte("planned"))
			require.NoError(t, err)
			c.do(t, p)
			p.Release()
			settled, _, err := recoverWith(t, j, root, nil)
			require.NoError(t, err)
			for i := range settled {
				require.Equal(t, p.ID, settled[i].ID)
				settled[i].ID = ""
			}
			require.Empty(t, cmp.Diff(c.want, settled))
			requireNoEntry(t, j)
			require.Empty(t, cmp.Diff(before, tree(t, root)))
		})
	}
}

// An entry whose process lives belongs to that process alone, in this process or in another one.
func TestRecover_LeavesALivingWriteAlone(t *testing.T) {
	t.Parallel()
	j, root := Journal{Dir: t.TempDir()}, prepared(t)
	p, err := j.Write(t.Context(), root, changes(), []byte("payload"))
	require.NoError(t, err)
	after := tree(t, root)
	settled, notices, err := recoverWith(t, j, root, nil)
	require.NoError(t, err)
	require.Empty(t, settled)
	require.Empty(t, notices)
	require.Empty(t, cmp.Diff(after, tree(t, root)))
	require.NoError(t, p.Finish(nil), "it is still there to be finished")
	requireNoEntry(t, j)
}

// An entry that cannot be settled now stays, quietly or with an error, and is settled another time.
func TestRecover_KeepsUnsettledEntries(t *testing.T) {
	t.Parallel()
	j, root := Journal{Dir: t.TempDir()}, prepared(t)
	p, err := j.Write(t.Context(), root, changes(), []byte("payload"))
	require.NoError(t, err)
	p.Release()
	for range 2 {
		settled, _, err := recoverWith(t, j, root, ErrLater)
		require.NoError(t, err)
		require.Len(t, settled, 1)
		settled, _, err = recoverWith(t, j, root, syscall.ENOSPC)
		require.ErrorIs(t, err, syscall.ENOSPC)
		require.ErrorContains(t, err, "make room")
		require.Len(t, settled, 1)
	}
	settled, _, err := recoverWith(t, j, root, nil)
	require.NoError(t, err)
	require.Equal(t, []Recovered{{ID: p.ID, Payload: []byte("payload"), Committed: true}}, settled)
	settled, _, err = recoverWith(t, j, root, errors.New("never asked"))
	require.NoError(t, err)
	require.Empty(t, settled)
}

// A journal that cannot be written keeps the folder from being written.
func TestWrite_WithoutAJournalWritesNothing(t *testing.T) {
	t.Parallel()
	root, blocked := prepared(t), filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(blocked, nil, 0o600))
	before := tree(t, root)
	_, err := Journal{Dir: filepath.Join(blocked, "journal")}.Write(t.Context(), root, changes(), nil)
	require.ErrorContains(t, err, "without it nothing is written")
	_, err = Journal{Dir: filepath.Join(blocked, "journal")}.Begin(t.Context(), root, nil)
	require.ErrorContains(t, err, "without it nothing is written")
	require.Empty(t, cmp.Diff(before, tree(t, root)))
}

// However an entry is damaged, nothing crashes, nothing of the user's changes, and our own files go.
func TestRecover_PutsADamagedEntryAside(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(data []byte) []byte{
		"a flipped bit":            func(data []byte) []byte { data[40] ^= 1; return data },
		"a flipped bit in a state": func(data []byte) []byte { data[len(data)-3] ^= 1; return data },
		"cut short":                func(data []byte) []byte { return data[:20] },
		"emptied":                  func([]byte) []byte { return nil },
		"a line too many":          func(data []byte) []byte { return append(data, data...) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, left := newLife(t), 45
			l.write(&left)
			before := tree(t, l.root)
			require.True(t, slices.ContainsFunc(names(before), func(n string) bool { return strings.HasSuffix(n, backupSuffix) }), "%q", before)
			entries, err := l.j.names()
			require.NoError(t, err)
			entry := filepath.Join(l.j.Dir, entries[0])
			data, err := os.ReadFile(entry) //nolint:gosec // a test's own folder
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(entry, damage(data), 0o600))
			_, notices, err := recoverWith(t, l.j, l.root, errors.New("nothing is settled"))
			require.NoError(t, err)
			require.Contains(t, notices[len(notices)-1].Text, damagedSuffix)
			after := tree(t, l.root)
			for name, text := range before {
				if strings.Contains(name, tempPrefix) {
					require.NotContains(t, after, name)
					continue
				}
				require.Equal(t, text, after[name], name)
			}
			kept, err := filepath.Glob(filepath.Join(l.j.Dir, keptFolder, "*", "*"))
			require.NoError(t, err)
			require.NotEmpty(t, kept, "old texts")
			roots, damaged, err := Unsettled(t.Context(), filepath.Dir(l.j.Dir))
			require.NoError(t, err)
			require.Empty(t, append(roots, damaged...), "only below projects/*/journal")
		})
	}
}

func names(tree map[string]string) []string {
	var list []string
	for name := range tree {
		list = append(list, name)
	}
	return list
}

// The folders with entries are found without knowing them; half-written entries are swept.
func TestUnsettled_FindsFolders(t *testing.T) {
	t.Parallel()
	state, root := t.TempDir(), prepared(t)
	j, err := JournalOf(state, root)
	require.NoError(t, err)
	roots, damaged, err := Unsettled(t.Context(), state)
	require.NoError(t, err)
	require.Empty(t, append(roots, damaged...))
	p, err := j.Begin(t.Context(), root, nil)
	require.NoError(t, err)
	p.Release()
	half, broken := filepath.Join(j.Dir, "half"+newSuffix), filepath.Join(j.Dir, "broken"+damagedSuffix)
	require.NoError(t, os.WriteFile(half, nil, 0o600))
	require.NoError(t, os.WriteFile(broken, nil, 0o600))
	roots, damaged, err = Unsettled(t.Context(), state)
	require.NoError(t, err)
	require.Equal(t, []string{root}, roots)
	require.Equal(t, []string{broken}, damaged)
	require.NoFileExists(t, half)
}

// A link to the folder has the same journal; another folder has another one.
func TestJournalOf_IsOneForEachFolder(t *testing.T) {
	t.Parallel()
	root, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(root, link))
	direct, err := JournalOf("/state", root)
	require.NoError(t, err)
	linked, err := JournalOf("/state", link)
	require.NoError(t, err)
	require.Equal(t, direct, linked)
	other, err := JournalOf("/state", t.TempDir())
	require.NoError(t, err)
	require.NotEqual(t, direct, other)
	_, err = JournalOf("/state", filepath.Join(root, "gone"))
	require.Error(t, err)
}

// Another program saves into the old file while it is swapped: its text is kept, and a notice reports it.
func TestWrite_KeepsASaveIntoTheSwappedFile(t *testing.T) {
	t.Parallel()
	root, j := prepared(t), Journal{Dir: t.TempDir()}
	open, err := os.OpenFile(filepath.Join(root, "a.txt"), os.O_WRONLY, 0) //nolint:gosec // a test's own folder
	require.NoError(t, err)
	left := -1
	in, err := os.OpenRoot(root)
	require.NoError(t, err)
	defer in.Close() //nolint:errcheck // a test's own folder
	notes, err := os.OpenRoot(j.Dir)
	require.NoError(t, err)
	late := faulty{folder: newInside(in), left: &left, before: func(operation, name string) {
		if operation == "rename" && name == "z.txt" { // a.txt has been renamed, and the program still has it open
			_, err := open.WriteString("by hand")
			require.NoError(t, errors.Join(err, open.Close()))
		}
	}}
	p, err := j.write(t.Context(), late, osFolder{notes}, root, changes(), nil)
	require.NoError(t, err)
	require.Len(t, p.Notices, 1)
	_, name, _ := strings.Cut(p.Notices[0].Text, "what was saved is in ")
	text, err := os.ReadFile(name) //nolint:gosec // a test's own folder
	require.NoError(t, err)
	require.Equal(t, "by hand", string(text))
	require.NoError(t, p.Finish(nil))
	require.Contains(t, tree(t, root)["a.txt"], "new a")
}
