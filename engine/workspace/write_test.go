package workspace

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// writeOnce writes through a journal of its own, records nothing, and leaves nothing in it.
func writeOnce(t *testing.T, root string, changes []FileWrite) error {
	t.Helper()
	j := Journal{Dir: filepath.Join(t.TempDir(), "projects", "p", "journal")}
	p, err := j.Write(t.Context(), root, changes, nil)
	if err == nil {
		err = p.Finish(nil)
	}
	if left, readErr := os.ReadDir(j.Dir); readErr == nil {
		require.Empty(t, left, "the journal")
	}
	return err
}

func base(content string) string { return Hash([]byte(content)) }

func TestWrite_ReplacesCreatesAndDeletes(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "a.txt", "old a")
	put(t, root, "run.sh", "old script")
	put(t, root, "gone.txt", "old gone")
	require.NoError(t, os.Chmod(filepath.Join(root, "run.sh"), 0o751)) //nolint:gosec // a program
	zoo := "\xef\xbb\xbfBOM\r\nlone\rCR\n\xff\x00 no newline at the end"

	err := writeOnce(t, root, []FileWrite{
		{Path: "a.txt", Content: []byte(zoo), Base: base("old a")},
		{Path: "run.sh", Content: []byte("new script"), Base: base("old script")},
		{Path: "gone.txt", Delete: true, Base: base("old gone")},
		{Path: "deep/er/new.txt", Content: []byte("new")},
		{Path: "deep/empty.txt"},
		{Path: "never.txt", Delete: true},
		{Path: "deep/moved.sh", Content: []byte("moved"), Like: "run.sh"},
		{Path: "deep/lonely.sh", Content: []byte("x"), Like: "never.sh"},
	})
	require.NoError(t, err)
	got := tree(t, root)
	delete(got, ".")
	for _, made := range []string{"deep", "deep/er", "deep/er/new.txt", "deep/empty.txt", "deep/lonely.sh"} {
		_, content, _ := strings.Cut(got[made], " ") // modes are the umask's
		got[made] = content
	}
	require.Empty(t, cmp.Diff(map[string]string{
		"a.txt": "-rw------- " + quote(zoo), "run.sh": `-rwxr-x--x "new script"`,
		"deep": `""`, "deep/er": `""`, "deep/er/new.txt": `"new"`, "deep/empty.txt": `""`,
		"deep/moved.sh": `-rwxr-x--x "moved"`, "deep/lonely.sh": `"x"`,
	}, got))
}

func TestWrite_RemovesFoldersThatADeletionLeavesEmpty(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, name := range []string{"a/b/c/last.txt", "a/stays.txt", "d/one.txt", "d/two.txt", "e/moved.txt"} {
		put(t, root, name, "old")
	}
	require.NoError(t, writeOnce(t, root, []FileWrite{
		{Path: "a/b/c/last.txt", Delete: true, Base: base("old")},
		{Path: "d/one.txt", Delete: true, Base: base("old")},
		{Path: "e/moved.txt", Delete: true, Base: base("old")},
		{Path: "f/moved.txt", Content: []byte("old"), Like: "e/moved.txt"},
	}))
	require.ElementsMatch(t, []string{".", "a", "a/stays.txt", "d", "d/two.txt", "f", "f/moved.txt"}, slices.Collect(maps.Keys(tree(t, root))))
}

func TestWrite_RefusesAndLeavesEverything(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change FileWrite
		want   string
	}{
		{"stale content", FileWrite{Path: "a.txt", Content: []byte("x"), Base: base("what it was")}, "changed on disk"},
		{"gone meanwhile", FileWrite{Path: "gone.txt", Content: []byte("x"), Base: base("what it was")}, "changed on disk"},
		{"there meanwhile", FileWrite{Path: "a.txt", Content: []byte("x")}, "changed on disk"},
		{"stale delete", FileWrite{Path: "a.txt", Delete: true, Base: base("what it was")}, "changed on disk"},
		{"delete of something new", FileWrite{Path: "a.txt", Delete: true}, "changed on disk"},
		{"read-only", FileWrite{Path: "locked.txt", Content: []byte("x"), Base: base("locked")}, "read-only"},
		{"delete of read-only", FileWrite{Path: "locked.txt", Delete: true, Base: base("locked")}, "read-only"},
		{"outside", FileWrite{Path: "../x", Content: []byte("x")}, "leaves the root"},
		{"git", FileWrite{Path: "sub/.git/hooks/pre-commit", Content: []byte("x")}, "leads into a git directory"},
		{"link out", FileWrite{Path: "leak", Content: []byte("x"), Base: base("secret")}, "leaves the folder"},
		{"link out, dangling", FileWrite{Path: "dangling", Content: []byte("x")}, "leaves the folder"},
		{"link into git", FileWrite{Path: "gitlink", Content: []byte("x"), Base: base("[core]")}, "leads into a git directory"},
		{"circle of links", FileWrite{Path: "circle", Content: []byte("x")}, "circle"},
		{"below a link out", FileWrite{Path: "leakdir/new", Content: []byte("x")}, "leakdir, leaves the folder"},
		{"a folder", FileWrite{Path: "dir", Content: []byte("x")}, "not a regular file"},
		{"below a file", FileWrite{Path: "a.txt/x", Content: []byte("x")}, "a.txt"},
		{"the same twice", FileWrite{Path: "good.txt", Content: []byte("x")}, "twice"},
		{"the same by a link", FileWrite{Path: "goodlink", Content: []byte("x"), Base: base("good")}, "same file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			outside, root := t.TempDir(), t.TempDir()
			put(t, outside, "secret", "secret")
			put(t, root, "good.txt", "good")
			put(t, root, "a.txt", "what it is now")
			put(t, root, "locked.txt", "locked")
			put(t, root, "dir/file", "")
			put(t, root, ".git/config", "[core]")
			require.NoError(t, os.Chmod(filepath.Join(root, "locked.txt"), 0o444)) //nolint:gosec // meant to be read-only
			for link, to := range map[string]string{
				"leak": filepath.Join(outside, "secret"), "dangling": "../nowhere", "leakdir": outside,
				"gitlink": ".git/config", "circle": "circle", "goodlink": "dir/../good.txt",
			} {
				require.NoError(t, os.Symlink(to, filepath.Join(root, link)))
			}
			before, beforeOutside := tree(t, root), tree(t, outside)
			err := writeOnce(t, root, []FileWrite{
				{Path: "good.txt", Content: []byte("better"), Base: base("good")},
				{Path: "fresh/file.txt", Content: []byte("fresh")},
				tt.change,
			})
			require.ErrorContains(t, err, tt.want)
			require.Empty(t, cmp.Diff(before, tree(t, root)))
			require.Empty(t, cmp.Diff(beforeOutside, tree(t, outside)))
		})
	}
}

func TestStaleError_IsAKindOfError(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "a.txt", "now")
	err := writeOnce(t, root, []FileWrite{{Path: "a.txt", Base: base("then")}})
	var stale *StaleError
	require.ErrorAs(t, err, &stale)
	require.Equal(t, "a.txt", stale.Path)
}

func TestWrite_GoesThroughALinkAndKeepsIt(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "real/file.txt", "old")
	require.NoError(t, os.Symlink("real", filepath.Join(root, "dir")))
	require.NoError(t, os.Symlink("dir/file.txt", filepath.Join(root, "link")))
	require.NoError(t, writeOnce(t, root, []FileWrite{{Path: "link", Content: []byte("new"), Base: base("old")}}))
	got := tree(t, root)
	require.Contains(t, got["link"], `"dir/file.txt"`)
	require.Contains(t, got["real/file.txt"], `"new"`)

	require.NoError(t, writeOnce(t, root, []FileWrite{{Path: "link", Delete: true, Base: base("new")}}))
	got = tree(t, root)
	require.NotContains(t, got, "link")
	require.Contains(t, got["real/file.txt"], `"new"`)
}

func TestWrite_HeedsACancelBeforeTheFirstRename(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "a.txt", "old")
	before := tree(t, root)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Journal{Dir: t.TempDir()}.Write(ctx, root, []FileWrite{
		{Path: "a.txt", Content: []byte("new"), Base: base("old")}, {Path: "dir/b.txt", Content: []byte("new")},
	}, nil)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, cmp.Diff(before, tree(t, root)))
}

func TestWrite_NamesAMissingFolder(t *testing.T) {
	t.Parallel()
	gone := filepath.Join(t.TempDir(), "gone")
	require.ErrorContains(t, writeOnce(t, gone, nil), gone)
}
