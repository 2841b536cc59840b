package shadow

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/engine/gitdir"
	"forge/patch"
)

// everything is what a tree holds, to the byte, with the modes of folders and with nothing left out but times.
func everything(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	walk(t, dir, func(path string, info fs.FileInfo, content string) {
		found[path] = info.Mode().String() + " " + content
	})
	return found
}

func pooled(t *testing.T, r *Repo) []idle {
	t.Helper()
	idles, err := r.Trees.idles()
	require.NoError(t, err)
	return idles
}

// mess is one thing that a run may leave in a tree.
type mess func(dir string, names []string, pick func(int) int) error

// messes end in a tree that lies about itself as well as it can.
var messes = map[string]mess{
	"other bytes of the same size and time": func(dir string, names []string, pick func(int) int) error {
		name := filepath.Join(dir, names[pick(len(names))])
		info, err := os.Lstat(name)
		if err != nil || !info.Mode().IsRegular() {
			return nil //nolint:nilerr // an earlier mess took it
		}
		return overwrite(name, info)
	},
	"a mode": func(dir string, names []string, pick func(int) int) error {
		name := filepath.Join(dir, names[pick(len(names))])
		if info, err := os.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink == 0 {
			return os.Chmod(name, fs.FileMode(pick(0o1000))) //nolint:gosec // any mode
		}
		return nil
	},
	"ignored files": func(dir string, _ []string, pick func(int) int) error {
		return lay(dir, fmt.Sprintf("build/%d/out.o", pick(3)), "object")
	},
	"a repository": func(dir string, _ []string, pick func(int) int) error {
		return lay(dir, []string{".git/HEAD", "dir/.git/HEAD", "dir/deep/.git"}[pick(3)], "ref: refs/heads/main\n")
	},
	"a file gone": func(dir string, names []string, pick func(int) int) error {
		return os.RemoveAll(filepath.Join(dir, names[pick(len(names))]))
	},
	"a link in its place": func(dir string, names []string, pick func(int) int) error {
		name := filepath.Join(dir, names[pick(len(names))])
		if err := os.RemoveAll(name); err != nil {
			return nil //nolint:nilerr // below a file that an earlier mess laid
		}
		return quiet(os.Symlink("/etc/passwd", name))
	},
	"a hard link outward": func(dir string, names []string, pick func(int) int) error {
		return quiet(os.Link(filepath.Join(dir, names[pick(len(names))]), filepath.Join(dir, "..", fmt.Sprint("outside", pick(1000)))))
	},
	"a folder in its place": func(dir string, names []string, pick func(int) int) error {
		name := filepath.Join(dir, names[pick(len(names))])
		if err := os.RemoveAll(name); err != nil {
			return nil //nolint:nilerr // below a file that an earlier mess laid
		}
		return quiet(os.MkdirAll(filepath.Join(name, "x"), 0o700))
	},
	"a swap": func(dir string, names []string, pick func(int) int) error {
		a, b := filepath.Join(dir, names[pick(len(names))]), filepath.Join(dir, names[pick(len(names))])
		spare := filepath.Join(dir, "spare")
		return quiet(os.Rename(a, spare), os.Rename(b, a), os.Rename(spare, b))
	},
	"a read-only folder": func(dir string, _ []string, pick func(int) int) error {
		if err := lay(dir, "cache/mod/file", "x"); err != nil {
			return nil //nolint:nilerr // it is read-only already
		}
		return os.Chmod(filepath.Join(dir, "cache", "mod"), fs.FileMode([]int{0o500, 0, 0o100}[pick(3)])) //nolint:gosec // any mode
	},
	"a folder's mode": func(dir string, _ []string, pick func(int) int) error {
		return quiet(os.Chmod(filepath.Join(dir, "dir"), fs.FileMode(pick(0o1000)))) //nolint:gosec // any mode
	},
	"a pipe": func(dir string, _ []string, pick func(int) int) error {
		return quiet(syscall.Mkfifo(filepath.Join(dir, fmt.Sprint("pipe", pick(3))), 0o600))
	},
	"all of it": func(dir string, _ []string, pick func(int) int) error {
		if pick(4) > 0 {
			return nil
		}
		return removeAll(dir)
	},
	"a link for all of it": func(dir string, _ []string, pick func(int) int) error {
		if pick(4) > 0 {
			return nil
		}
		aside := filepath.Join(dir, "..", fmt.Sprint("aside", pick(1000)))
		return quiet(os.Rename(dir, aside), os.Symlink(aside, dir))
	},
}

// quiet: where one mess stands in the way of the next, there is mess enough.
func quiet(...error) error { return nil }

func lay(dir, name, content string) error {
	full := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
		return quiet(err)
	}
	return quiet(os.WriteFile(full, []byte(content), 0o600))
}

func overwrite(name string, was fs.FileInfo) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return quiet(err)
	}
	for at := range was.Size() {
		if _, err := f.WriteAt([]byte("!"), at); err != nil {
			return err
		}
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Chtimes(name, was.ModTime(), was.ModTime())
}

// Whatever a run left in a tree, the next one gets exactly what a new tree would be.
func TestCheckout_APooledTreeIsANewTree(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, ".gitignore", "build/\n*.o\n")
	names := []string{".gitignore"}
	for i := range 80 { // more than are written singly
		names = append(names, fmt.Sprintf("dir/deep%d/f%d.txt", i%7, i))
	}
	names = append(names, "a", "dir/b", "run.sh", "dir/deep/c")
	for _, name := range names[1:] {
		put(t, root, name, "content of "+name+"\n")
	}
	require.NoError(t, os.Chmod(filepath.Join(root, "run.sh"), 0o755)) //nolint:gosec // a program
	require.NoError(t, os.Symlink("a", filepath.Join(root, "link")))
	names = append(names, "link", "dir", "dir/deep")
	r := open(t, root)
	unpooled := openIn(t, t.TempDir(), root) // its pool is empty each time
	kinds := sortedKeys(messes)
	rapid.Check(t, func(rt *rapid.T) {
		pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(rt, "pick") }
		unsaved := map[string]string{}
		for range pick(3) {
			unsaved[names[1+pick(80)]] = fmt.Sprintf("typed %d", pick(5))
		}
		if pick(3) == 0 {
			unsaved["a"], unsaved["new/file"] = "x", "y"
		}
		s := snap(t, r, unsaved)
		tree := checkout(t, r, s)
		fresh := checkout(t, unpooled, snap(t, unpooled, unsaved))
		if diff := cmp.Diff(everything(t, fresh.Dir()), everything(t, tree.Dir())); diff != "" {
			rt.Fatalf("a used tree differs from a new one (-new +used):\n%s", diff)
		}
		require.NoError(t, fresh.lease.remove())
		for range pick(4) {
			kind := kinds[pick(len(kinds))]
			rt.Log(kind)
			require.NoError(t, messes[kind](tree.Dir(), names, pick), kind)
		}
		switch pick(4) {
		case 0:
			require.NoError(t, tree.Reset(t.Context()))
			require.NoError(t, tree.Close())
		case 1:
			require.NoError(t, r.Trees.park(tree)) // as if the process died then
			require.NoError(t, tree.lease.owner.Close())
			for _, i := range pooled(t, r) { // and something changed the tree in the pool
				require.NoError(t, messes[kinds[pick(len(kinds))]](filepath.Join(i.home, "work"), names, pick))
			}
		default:
			require.NoError(t, tree.Close())
		}
	})
	require.NotEmpty(t, pooled(t, r), "a pool that is never used proves nothing")
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}

// The twin: a stamp without ctime would believe a file whose size and time were put back.
func TestStamp_TimesAndSizesAloneAreFooled(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(name, []byte("1"), 0o600))
	before, err := os.Lstat(name)
	require.NoError(t, err)
	old := gitdir.StampOf(before)
	require.Eventually(t, func() bool { // until the clock of the file system has ticked
		require.NoError(t, overwrite(name, before))
		now, err := os.Lstat(name)
		require.NoError(t, err)
		return gitdir.StampOf(now) != old
	}, time.Minute, time.Millisecond)
	now, err := os.Lstat(name)
	require.NoError(t, err)
	got := gitdir.StampOf(now)
	got.Changed = old.Changed
	require.Equal(t, old, got, "all else is as it was")
}

func TestCheckout_TakesATreeFromThePool(t *testing.T) {
	t.Parallel()
	state, root := t.TempDir(), t.TempDir()
	put(t, root, "f", "1")
	put(t, root, "g", "1")
	r := openIn(t, state, root)
	tree := checkout(t, r, snap(t, r, nil))
	dir := tree.Dir()
	kept, err := os.Lstat(filepath.Join(dir, "g"))
	require.NoError(t, err)
	require.NoError(t, tree.Apply(patch.ChangeSet{Files: []patch.FileChange{{Kind: patch.Update, Path: "f", After: "2"}}}))
	require.NoError(t, tree.Close())
	require.NoDirExists(t, dir)

	other := openIn(t, state, root) // another process, later
	removed, err := other.Trees.Sweep(t.Context())
	require.NoError(t, err)
	require.Zero(t, removed, "what waits for its next use is no orphan")
	again := checkout(t, other, snap(t, other, nil))
	require.Equal(t, dir, again.Dir(), "at the same place: what compilers keep of it stays good")
	require.Equal(t, map[string]string{"f": "1", "g": "1"}, files(t, dir))
	now, err := os.Lstat(filepath.Join(dir, "g"))
	require.NoError(t, err)
	require.Equal(t, gitdir.StampOf(kept), gitdir.StampOf(now), "it was not written again")
	second := checkout(t, r, snap(t, r, nil))
	require.NotEqual(t, dir, second.Dir(), "a tree has one owner")
}

func TestClose_KeepsThePoolWithinBounds(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "f", "12345")
	r := open(t, root)
	var trees []*Tree
	for range maxIdle + 2 {
		trees = append(trees, checkout(t, r, snap(t, r, nil)))
	}
	for _, tree := range trees {
		require.NoError(t, tree.Close())
	}
	idles := pooled(t, r)
	require.Len(t, idles, maxIdle)
	require.Equal(t, filepath.Base(trees[len(trees)-1].lease.home), filepath.Base(idles[0].home), "those that came last")
	require.EqualValues(t, 5, idles[0].bytes)
	require.NoError(t, r.Trees.shrink(maxIdle, 9))
	require.Len(t, pooled(t, r), 1)
	require.NoError(t, r.Trees.shrink(0, 0))
	require.Empty(t, pooled(t, r))
	left, err := os.ReadDir(filepath.Join(r.dir.Home, "trees"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// A list that is damaged, or of before the machine was started, proves nothing: the tree is thrown away.
func TestCheckout_ADamagedManifestProvesNothing(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(t *testing.T, manifest string){
		"gone":   func(t *testing.T, m string) { require.NoError(t, os.Remove(m)) },
		"empty":  func(t *testing.T, m string) { require.NoError(t, os.Truncate(m, 0)) },
		"cut":    func(t *testing.T, m string) { require.NoError(t, os.Truncate(m, 200)) },
		"a byte": func(t *testing.T, m string) { flip(t, m) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			put(t, root, "f", "1")
			r := open(t, root)
			tree := checkout(t, r, snap(t, r, nil))
			dir := tree.Dir()
			require.NoError(t, tree.Close())
			home := pooled(t, r)[0].home
			put(t, home, "work/f", "2")
			damage(t, filepath.Join(home, "manifest"))
			tree = checkout(t, r, snap(t, r, nil))
			require.NotEqual(t, dir, tree.Dir())
			require.NoDirExists(t, dir)
			require.Equal(t, map[string]string{"f": "1"}, files(t, tree.Dir()))
		})
	}
	_, err := parseManifest(written(t), "another start")
	require.ErrorIs(t, err, errManifest)
	_, err = parseManifest(written(t), gitdir.BootID())
	require.NoError(t, err)
}

func written(t *testing.T) []byte {
	t.Helper()
	home := t.TempDir()
	m := manifest{commit: "c", files: map[string]held{"f": {gitdir.Leaf{Mode: gitdir.PlainMode, ID: "id"}, gitdir.Stamp{Size: 1}}}}
	name := filepath.Join(home, "manifest")
	require.NoError(t, m.write(name))
	content, err := os.ReadFile(name) //nolint:gosec // a test's own folder
	require.NoError(t, err)
	return content
}

func flip(t *testing.T, name string) {
	t.Helper()
	content, err := os.ReadFile(name) //nolint:gosec // a test's own folder
	require.NoError(t, err)
	content[len(content)/2] ^= 1
	require.NoError(t, os.WriteFile(name, content, 0o600))
}
