package shadow

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/gitdir"
	"forge/engine/sandbox"
	"forge/engine/workspace"
	"forge/patch"
)

// content takes a snapshot and reads it back through a scratch tree.
func content(t *testing.T, r *Repo, unsaved map[string]string) map[string]string {
	t.Helper()
	tree := checkout(t, r, snap(t, r, unsaved))
	found := files(t, tree.Dir())
	require.NoError(t, tree.Close())
	return found
}

func TestTake_KeepsEveryByte(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	git(t, root, "init", "-q")
	zoo := map[string]string{
		"crlf.txt": "a\r\nb\r\n", "cr.txt": "a\rb\r", "mixed.txt": "a\r\nb\nc\r", "bom.txt": "\xef\xbb\xbfa\n",
		"none.txt": "no newline", "empty.txt": "", "utf16.txt": "\xff\xfea\x00\n\x00", "latin1.txt": "caf\xe9\n",
		"binary.bin": "\x00\x01\x02", "ident.txt": "$Id$\n", "dir/with space/ü.txt": "x\n", "-dash.txt": "-\n",
		"new\nline.txt": "n\n", "quo\"te.txt": "q\n", "star*.txt": "*\n", ":(top)magic.txt": "m\n",
		".gitattributes": "* text=auto eol=lf ident\n*.txt working-tree-encoding=UTF-16\n",
	}
	for path, text := range zoo {
		put(t, root, path, text)
	}
	r := open(t, root)
	require.Empty(t, cmp.Diff(zoo, content(t, r, nil)))

	// The twin: plain git, asked to keep the same file, changes it.
	put(t, root, ".gitattributes", "* text=auto eol=lf\n")
	git(t, root, "add", "crlf.txt")
	require.Equal(t, "a\nb\n", git(t, root, "cat-file", "blob", ":crlf.txt"))
}

func TestTake_KeepsLinksAndPrograms(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "run.sh", "#!/bin/sh\n")
	require.NoError(t, os.Chmod(filepath.Join(root, "run.sh"), 0o755)) //nolint:gosec // a program
	put(t, root, "dir/file.txt", "text")
	for link, to := range map[string]string{"link": "dir/file.txt", "dangling": "nowhere", "dirlink": "dir", "out": "/etc/passwd"} {
		require.NoError(t, os.Symlink(to, filepath.Join(root, link)))
	}
	require.NoError(t, syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600))
	require.Empty(t, cmp.Diff(map[string]string{
		"run.sh": "x #!/bin/sh\n", "dir/file.txt": "text", "link": "-> dir/file.txt", "dangling": "-> nowhere",
		"dirlink": "-> dir", "out": "-> /etc/passwd",
	}, content(t, open(t, root), nil)))
}

func TestTake_HoldsUnsavedBuffers(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, ".gitignore", "*.log\nsecret/\n")
	put(t, root, "open.go", "disk")
	put(t, root, "run.sh", "disk")
	require.NoError(t, os.Chmod(filepath.Join(root, "run.sh"), 0o755)) //nolint:gosec // a program
	put(t, root, "target.txt", "disk")
	require.NoError(t, os.Symlink("target.txt", filepath.Join(root, "link.txt")))
	put(t, root, "debug.log", "disk")
	put(t, root, "becomes", "a file")
	put(t, root, "nested/.git/HEAD", "ref: refs/heads/main\n")
	r := open(t, root)
	s := snap(t, r, map[string]string{
		"open.go": "typed\r\n", "run.sh": "typed", "link.txt": "typed", "new/dir/file.go": "typed", "empty.go": "",
		":(top)new.go": "typed", "odd\\\nname.go": "typed", "debug.log": "typed", "fresh.log": "typed", "secret/key": "typed", "nested/file.go": "typed",
	})
	got := files(t, checkout(t, r, s).Dir())
	require.Empty(t, cmp.Diff(map[string]string{
		".gitignore": "*.log\nsecret/\n", "open.go": "typed\r\n", "run.sh": "x typed", "target.txt": "typed",
		"link.txt": "-> target.txt", "new/dir/file.go": "typed", "empty.go": "", ":(top)new.go": "typed", "odd\\\nname.go": "typed", "becomes": "a file",
	}, got))
	var left []string
	for _, skipped := range s.Skipped {
		left = append(left, skipped.Path)
	}
	require.Equal(t, []string{"debug.log", "fresh.log", "nested/file.go", "secret/key"}, left)

	// The buffers were saved elsewhere or closed: the next snapshot is the disk again.
	require.Equal(t, "disk", content(t, r, nil)["open.go"])
	_, err := os.Stat(filepath.Join(root, "new"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestTake_RefusesABufferOutside(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	require.NoError(t, os.Symlink("/tmp", filepath.Join(root, "out")))
	r := open(t, root)
	for _, path := range []string{"../x", ".git/config", "out/x"} {
		_, err := r.Snapshots.Take(t.Context(), seen(root, map[string]string{path: "typed"}))
		var refused *patch.PathError
		require.ErrorAs(t, err, &refused, path)
	}
}

func TestTake_FollowsTheDisk(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	r := open(t, root)
	require.Empty(t, content(t, r, nil), "an empty folder")
	empty := snap(t, r, nil)

	put(t, root, "a", "1")
	put(t, root, "b/c", "1")
	require.Empty(t, cmp.Diff(map[string]string{"a": "1", "b/c": "1"}, content(t, r, nil)))
	first := snap(t, r, nil)
	require.Equal(t, first, snap(t, r, nil), "the same content is the same snapshot")

	put(t, root, "a", "2") // same size, maybe the same clock tick
	require.Equal(t, "2", content(t, r, nil)["a"])
	require.NoError(t, os.RemoveAll(filepath.Join(root, "b")))
	put(t, root, "b", "a file now")
	require.NoError(t, os.Remove(filepath.Join(root, "a")))
	put(t, root, "a/deep", "a folder now")
	require.Empty(t, cmp.Diff(map[string]string{"a/deep": "a folder now", "b": "a file now"}, content(t, r, nil)))
	put(t, root, ".gitignore", "b\n")
	require.Empty(t, cmp.Diff(map[string]string{"a/deep": "a folder now", ".gitignore": "b\n"}, content(t, r, nil)),
		"ignored from now on")
	require.NoError(t, os.RemoveAll(filepath.Join(root, "a")))
	require.NoError(t, os.Remove(filepath.Join(root, "b")))
	require.NoError(t, os.Remove(filepath.Join(root, ".gitignore")))
	require.Equal(t, empty, snap(t, r, nil))
	require.Equal(t, map[string]string{"a": "1", "b/c": "1"}, files(t, checkout(t, r, first).Dir()), "old snapshots stay")
}

func TestTake_LeavesOutIgnoredFiles(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	git(t, top, "init", "-q")
	root := top
	put(t, root, ".gitignore", "*.log\n/build/\n")
	put(t, root, "sub/.gitignore", "local.txt\n")
	put(t, root, ".git/info/exclude", "mine.txt\n")
	for _, path := range []string{
		"a.go", "x.log", "build/out", "sub/build/kept", "sub/local.txt", "mine.txt", "forced.log", "sub/keep.go",
	} {
		put(t, root, path, path)
	}
	git(t, root, "add", "-f", "forced.log", "a.go")
	got := content(t, open(t, root), nil)
	require.Equal(t, map[string]string{
		".gitignore": "*.log\n/build/\n", "sub/.gitignore": "local.txt\n", "a.go": "a.go", "sub/build/kept": "sub/build/kept",
		"sub/keep.go": "sub/keep.go", "forced.log": "forced.log",
	}, got, "forced.log is tracked by the user, although ignored")

	// The folder sub alone: the rules above it hold as well.
	put(t, root, ".gitignore", "*.log\n/sub/generated/\n/build/\n")
	put(t, root, "sub/generated/x", "x")
	put(t, root, "sub/y.log", "y")
	require.Equal(t, map[string]string{
		".gitignore": "local.txt\n", "build/kept": "sub/build/kept", "keep.go": "sub/keep.go",
	}, content(t, open(t, filepath.Join(root, "sub")), nil))
}

func TestTake_WorksInAnyRepository(t *testing.T) {
	t.Parallel()
	plain := func(t *testing.T, root string) { git(t, root, "init", "-q"); put(t, root, "f", "1") }
	tests := []struct {
		name    string
		prepare func(t *testing.T, root string)
	}{
		{"no git", func(t *testing.T, root string) { put(t, root, "f", "1") }},
		{"no commits", plain},
		{"the index is locked", func(t *testing.T, root string) {
			plain(t, root)
			git(t, root, "add", ".")
			put(t, root, ".git/index.lock", "")
		}},
		{"the index is garbage", func(t *testing.T, root string) {
			plain(t, root)
			put(t, root, ".git/index", "DIRC garbage")
		}},
		{"the index is a folder", func(t *testing.T, root string) {
			plain(t, root)
			put(t, root, ".git/index/x", "")
		}},
		{"the index is split", func(t *testing.T, root string) {
			plain(t, root)
			git(t, root, "add", ".")
			git(t, root, "update-index", "--split-index")
		}},
		{"sha256", func(t *testing.T, root string) {
			git(t, root, "init", "-q", "--object-format=sha256")
			put(t, root, "f", "1")
			git(t, root, "add", ".")
		}},
		{"detached, with a change", func(t *testing.T, root string) {
			plain(t, root)
			put(t, root, "f", "0")
			git(t, root, "add", ".")
			git(t, root, "commit", "-q", "-m", "x")
			git(t, root, "checkout", "-q", "--detach")
			put(t, root, "f", "1")
		}},
		{"a linked worktree", func(t *testing.T, root string) {
			main := t.TempDir()
			plain(t, main)
			git(t, main, "add", ".")
			git(t, main, "commit", "-q", "-m", "x")
			require.NoError(t, os.Remove(root))
			git(t, main, "worktree", "add", "-q", "-b", "side", root)
		}},
		{"a .git that is no repository", func(t *testing.T, root string) {
			put(t, root, ".git", "nonsense")
			put(t, root, "f", "1")
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := filepath.Join(t.TempDir(), "work space")
			require.NoError(t, os.Mkdir(root, 0o750))
			tt.prepare(t, root)
			before := fingerprint(t, root)
			require.Equal(t, map[string]string{"f": "1"}, content(t, open(t, root), nil))
			require.Empty(t, cmp.Diff(before, fingerprint(t, root)))
		})
	}
}

func TestTake_NamesLargeFiles(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "small.txt", "small")
	put(t, root, "fits.bin", "")
	require.NoError(t, os.Truncate(filepath.Join(root, "fits.bin"), MaxFileSize))
	put(t, root, "large.bin", "")
	require.NoError(t, os.Truncate(filepath.Join(root, "large.bin"), MaxFileSize+1))
	r := open(t, root)
	s := snap(t, r, nil)
	require.Equal(t, []gitdir.Skipped{{Path: "large.bin", Reason: "it is larger than 10 MiB"}}, s.Skipped)
	got := files(t, checkout(t, r, s).Dir())
	require.Len(t, got, 2)
	require.Equal(t, strings.Repeat("\x00", MaxFileSize), got["fits.bin"])
}

// Root can read everything, so this only shows something for other users.
func TestTake_NamesUnreadableFiles(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "open.txt", "open")
	put(t, root, "closed.txt", "closed")
	require.NoError(t, os.Chmod(filepath.Join(root, "closed.txt"), 0))
	want := []gitdir.Skipped{{Path: "closed.txt", Reason: "it cannot be read: check its permissions"}}
	if os.Geteuid() == 0 {
		want = nil
	}
	require.Equal(t, want, snap(t, open(t, root), nil).Skipped)
}

func TestOpen_NamesTheFault(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	put(t, folder, "file", "")
	_, err := Open(t.Context(), runner(), t.TempDir(), filepath.Join(folder, "gone"))
	require.ErrorContains(t, err, "does not exist")
	_, err = Open(t.Context(), runner(), t.TempDir(), filepath.Join(folder, "file"))
	require.ErrorContains(t, err, "not a folder")
	without := sandbox.New(sandbox.Options{Environ: []string{"PATH=" + folder}})
	_, err = Open(t.Context(), without, t.TempDir(), folder)
	var missing *sandbox.NotStartedError
	require.ErrorAs(t, err, &missing)
	require.ErrorContains(t, err, `"git"`)

	r := open(t, folder)
	_, err = r.Snapshots.Take(t.Context(), workspace.Snapshot{Root: t.TempDir()})
	require.ErrorContains(t, err, "another folder")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = r.Snapshots.Take(ctx, seen(folder, nil))
	require.ErrorIs(t, err, context.Canceled)
}

// A state folder inside the workspace would otherwise be in its own snapshots.
func TestTake_LeavesOutForgesState(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "f", "1")
	r := openIn(t, filepath.Join(root, "state dir"), root)
	snap(t, r, nil)
	require.Equal(t, map[string]string{"f": "1"}, content(t, r, nil))
}
