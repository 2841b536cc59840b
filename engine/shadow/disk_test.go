package shadow

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Whatever happened to the files since the last snapshot, the next one is what a first one would be.
func TestTake_ALaterSnapshotIsAFirstOne(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	var names []string
	for i := range 12 {
		names = append(names, fmt.Sprintf("d%d/f%d", i%3, i))
		put(t, root, names[i], "one\n")
	}
	state := t.TempDir()
	kinds := sortedKeys(touches)
	rapid.Check(t, func(rt *rapid.T) {
		pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(rt, "pick") }
		for range pick(4) {
			kind := kinds[pick(len(kinds))]
			rt.Log(kind)
			touches[kind](root, names[pick(len(names))], pick)
		}
		unsaved := map[string]string{}
		for range pick(2) {
			unsaved["d0/f0"] = "typed\n"
		}
		r := openIn(t, state, root) // what is known comes from the file
		if diff := cmp.Diff(content(t, open(t, root), unsaved), content(t, r, unsaved)); diff != "" {
			rt.Fatalf("(-first +later):\n%s", diff)
		}
		if pick(2) == 0 { // and from memory
			_ = lay(root, names[pick(len(names))]+".new", fmt.Sprint(pick(10)))
			require.Empty(t, cmp.Diff(content(t, open(t, root), nil), content(t, r, nil)))
		}
	})
}

var touches = map[string]func(root, name string, pick func(int) int){
	"other bytes of the same size and time": func(root, name string, _ func(int) int) {
		if info, err := os.Lstat(filepath.Join(root, name)); err == nil && info.Mode().IsRegular() {
			_ = overwrite(filepath.Join(root, name), info)
		}
	},
	"written": func(root, name string, pick func(int) int) { _ = lay(root, name, fmt.Sprint(pick(3))) },
	"gone":    func(root, name string, _ func(int) int) { _ = os.RemoveAll(filepath.Join(root, name)) },
	"a folder gone": func(root, name string, _ func(int) int) {
		_ = os.RemoveAll(filepath.Join(root, filepath.Dir(name)))
	},
	"a folder for a file": func(root, name string, _ func(int) int) {
		_ = os.RemoveAll(filepath.Join(root, name))
		_ = lay(root, name+"/inside", "x")
	},
	"a file for a folder": func(root, name string, _ func(int) int) {
		_ = os.RemoveAll(filepath.Join(root, filepath.Dir(name)))
		_ = lay(root, filepath.Dir(name), "x")
	},
	"a link": func(root, name string, _ func(int) int) {
		_ = os.RemoveAll(filepath.Join(root, name))
		_ = os.Symlink("elsewhere", filepath.Join(root, name))
	},
	"a program": func(root, name string, pick func(int) int) {
		if info, err := os.Lstat(filepath.Join(root, name)); err == nil && info.Mode().IsRegular() {
			_ = os.Chmod(filepath.Join(root, name), []os.FileMode{0o755, 0o644}[pick(2)]) //nolint:gosec // a program
		}
	},
	"a rule": func(root, name string, pick func(int) int) {
		_ = lay(root, ".gitignore", []string{"", filepath.Base(name) + "\n", filepath.Dir(name) + "/\n"}[pick(3)])
	},
	"a repository": func(root, name string, pick func(int) int) {
		dir := filepath.Join(filepath.Dir(name), ".git")
		if pick(2) == 0 {
			_ = os.RemoveAll(filepath.Join(root, dir))
			return
		}
		_ = lay(root, dir, "gitdir: nowhere\n")
	},
	"a swap": func(root, name string, _ func(int) int) {
		spare := filepath.Join(root, "spare")
		_ = os.Rename(filepath.Join(root, name), spare)
		_ = os.Rename(filepath.Join(root, "d1/f1"), filepath.Join(root, name))
		_ = os.Rename(spare, filepath.Join(root, "d1/f1"))
	},
}

// The cache of the disk's state may be damaged, and so may the files it refers to: a snapshot is right all the same.
func TestTake_SurvivesDamage(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(t *testing.T, r *Repo){
		"the list is gone": func(t *testing.T, r *Repo) { require.NoError(t, os.Remove(r.Snapshots.diskFile())) },
		"a byte of it":     func(t *testing.T, r *Repo) { flip(t, r.Snapshots.diskFile()) },
		"all objects are gone": func(t *testing.T, r *Repo) {
			require.NoError(t, os.RemoveAll(filepath.Join(r.dir.Git, "objects")))
			require.NoError(t, os.MkdirAll(filepath.Join(r.dir.Git, "objects", "pack"), 0o700))
			require.NoError(t, os.RemoveAll(filepath.Join(r.dir.Git, "refs", "forge")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state, root := t.TempDir(), t.TempDir()
			put(t, root, "f", "1")
			put(t, root, "g", "1")
			r := openIn(t, state, root)
			snap(t, r, nil)
			damage(t, r)
			put(t, root, "g", "2")
			for _, r := range []*Repo{r, openIn(t, state, root)} {
				require.Equal(t, map[string]string{"f": "1", "g": "2"}, content(t, r, nil))
				require.Equal(t, map[string]string{"f": "typed", "g": "2"}, content(t, r, map[string]string{"f": "typed"}))
			}
		})
	}
}

// A later snapshot starts few processes, and a same one one.
func TestTake_StartsFewProcesses(t *testing.T) {
	t.Parallel()
	root := workspaceWithGit(t)
	counted := &counter{runner: direct{}}
	r, err := Open(t.Context(), counted, t.TempDir(), root)
	require.NoError(t, err)
	snap(t, r, nil)
	first := snap(t, r, nil)
	require.Equal(t, first, snap(t, r, nil))
	counted.commands.Store(0)
	snap(t, r, map[string]string{"open.txt": "typed"})
	require.LessOrEqual(t, counted.commands.Load(), int64(4), "list, tracked, contents and commits, ref")
}

func TestTake_NamesClosedFolders(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		return // root can read everything
	}
	root := t.TempDir()
	put(t, root, "closed/f", "x")
	require.NoError(t, os.Chmod(filepath.Join(root, "closed"), 0))
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(root, "closed"), 0o700) }) //nolint:gosec // a folder
	require.Len(t, snap(t, open(t, root), nil).Skipped, 1)
}

func FuzzParseManifest(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{manifestVersion, 0, 0})
	f.Fuzz(func(t *testing.T, content []byte) {
		d := decoder{in: content}
		for range 8 {
			_, _, _ = d.number(), d.text(), d.stamp()
		}
		_, err := parseManifest(content, "boot")
		require.Error(t, err, "no hash, no list")
	})
}
