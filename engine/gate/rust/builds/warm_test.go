package builds

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
)

// dir is a tree.
type dir string

func (d dir) Dir() string { return string(d) }

func write(t *testing.T, archive string) dir {
	t.Helper()
	root := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(root, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, f.Data, 0o644))
	}
	return dir(root)
}

// userCopy is a tree that copies a folder of the user.
type userCopy struct {
	dir
	origin string
}

func (c userCopy) Origin() string { return c.origin }

// Of the user's build output only finished units of downloaded crates are copied, with their times, and what the compiler remembers of the
// tree's own; their output is not, nor is what is unknown.
func TestWarm_CopiesUnitsOfDownloadedCrates(t *testing.T) {
	t.Parallel()
	const lock = "-- Cargo.lock --\n[[package]]\nname = \"own\"\n[[package]]\nname = \"md-5\"\nsource = \"registry+x\"\n[[package]]\nname = \"both\"\n[[package]]\nname = \"both\"\nsource = \"git+x\"\n"
	units := strings.Join([]string{
		"debug/.fingerprint/md-5-00000000000000aa/lib-md5.json", "debug/deps/libmd5-00000000000000aa.rlib", "debug/deps/md5-00000000000000aa.d",
		"debug/incremental/own-1a/s-1/graph", "debug/incremental/own-1a/s-1.lock",
		"x86_64/debug/.fingerprint/md-5-00000000000000ab/run.json", "x86_64/debug/build/md-5-00000000000000ab/out/a/b.c",
		"debug/.fingerprint/md-5-00000000000000ac/invoked.timestamp", "debug/deps/libmd5-00000000000000ac.rlib", // not finished
		"debug/.fingerprint/own-00000000000000ad/lib-own.json", "debug/deps/libown-00000000000000ad.rlib",
		"debug/.fingerprint/both-00000000000000ae/lib-both.json", "debug/deps/libboth-00000000000000ae.rlib",
		"debug/.fingerprint/unknown-00000000000000af/lib.json", "debug/deps/libunknown-00000000000000af.rlib",
		"debug/incremental/other-1a/s-1/graph", "debug/incremental/own-1a/s-2-working/graph", "release/.fingerprint/md-5-00000000000000aa/lib-md5.json", "debug/own",
	}, " ")
	user := write(t, lock+"-- target/"+strings.ReplaceAll(units, " ", " --\ntext\n-- target/")+" --\ntext\n").Dir()
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	require.NoError(t, os.Chtimes(filepath.Join(user, "target/debug/deps/libmd5-00000000000000aa.rlib"), old, old))
	target := filepath.Join(t.TempDir(), "target")
	warm(t.Context(), userCopy{write(t, "-- Cargo.toml --\n"), user}, target, map[string]bool{"own": true})
	require.Equal(t, strings.Fields(units)[:7], sortedAs(units, target))
	info, err := os.Stat(filepath.Join(target, "debug/deps/libmd5-00000000000000aa.rlib"))
	require.NoError(t, err)
	require.True(t, info.ModTime().Equal(old), "cargo compares times")
	require.NoError(t, os.WriteFile(filepath.Join(user, "target/debug/deps/md5-00000000000000aa.x"), nil, 0o600))
	warm(t.Context(), userCopy{write(t, "-- Cargo.toml --\n"), user}, target, map[string]bool{"own": true})
	require.NoFileExists(t, filepath.Join(target, "debug/deps/md5-00000000000000aa.x"), "a target begins once")
}

// sortedAs returns those of some files that are in a folder, and whatever else is in it.
func sortedAs(names, folder string) (found []string) {
	all := map[string]bool{}
	_ = filepath.WalkDir(folder, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			all[strings.TrimPrefix(path, folder+"/")] = true
		}
		return err
	})
	for _, name := range strings.Fields(names) {
		if all[name] {
			found = append(found, name)
			delete(all, name)
		}
	}
	for name := range all {
		found = append(found, name)
	}
	return found
}

// A target that is no build output of the user's own folder is not read.
func TestWarm_FollowsNoLink(t *testing.T) {
	t.Parallel()
	const lock, unit = "-- Cargo.lock --\n[[package]]\nname = \"a\"\nsource = \"registry+x\"\n", "debug/.fingerprint/a-00000000000000aa/lib-a.json"
	for name, prepare := range map[string]func(user, elsewhere string, tree dir) error{
		"a link": func(user, elsewhere string, _ dir) error { return os.Symlink(elsewhere, filepath.Join(user, "target")) },
		"a link in it": func(user, elsewhere string, _ dir) error {
			return errorsOf(os.Mkdir(filepath.Join(user, "target"), 0o755), os.Symlink(elsewhere+"/debug", filepath.Join(user, "target/debug")))
		},
		"in the snapshot": func(user, elsewhere string, tree dir) error {
			return errorsOf(os.CopyFS(filepath.Join(user, "target"), os.DirFS(elsewhere)), os.Mkdir(filepath.Join(tree.Dir(), "target"), 0o755))
		},
		"none": func(string, string, dir) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			user, elsewhere, tree := write(t, lock).Dir(), write(t, "-- "+unit+" --\n").Dir(), write(t, "-- Cargo.toml --\n")
			require.NoError(t, prepare(user, elsewhere, tree))
			target := filepath.Join(t.TempDir(), "target")
			warm(t.Context(), userCopy{tree, user}, target, map[string]bool{"own": true})
			require.NoFileExists(t, filepath.Join(target, unit))
		})
	}
}

func errorsOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Of packages whose name one of the tree's own has too, those are copied that were compiled from a source in cargo's store, and spared later.
func TestWarm_TellsUnitsOfTheSameNameApart(t *testing.T) {
	t.Parallel()
	const store = "/u/.cargo/registry/src/index-1/own-1.0.0/"
	user := write(t, `-- Cargo.lock --
[[package]]
name = "own"
[[package]]
name = "own"
source = "registry+x"
[[package]]
name = "libc"
source = "registry+x"
-- target/debug/.fingerprint/libc-00000000000000a1/lib-libc.json --
{}
-- target/debug/.fingerprint/own-00000000000000a2/lib-own.json --
{"deps":[[7,"build_script_build",false,1]]}
-- target/debug/deps/own-00000000000000a2.d --
/u/p/target/debug/deps/own-00000000000000a2.d: `+store+`src/lib.rs `+store+`src/a.rs
-- target/debug/.fingerprint/own-00000000000000a3/build-script-build-script-build.json --
{"deps":[]}
-- target/debug/build/own-00000000000000a3/build_script_build-00000000000000a3.d --
/u/p/target/debug/build/own-00000000000000a3/x: `+store+`build.rs
-- target/debug/.fingerprint/own-00000000000000a4/run-build-script-build-script-build.json --
{"deps":[[7,"build_script_build",false,2]]}
-- target/debug/.fingerprint/own-00000000000000b1/lib-own.json --
{"deps":[[8,"build_script_build",false,1]]}
-- target/debug/deps/own-00000000000000b1.d --
/u/p/target/debug/deps/own-00000000000000b1.d: src/lib.rs `+store+`src/a.rs
-- target/debug/.fingerprint/own-00000000000000b2/run-build-script-build-script-build.json --
{"deps":[[8,"build_script_build",false,2]]}
-- target/debug/.fingerprint/own-00000000000000b3/lib-own.json --
{"deps":[]}
`).Dir()
	target := filepath.Join(t.TempDir(), "target")
	warm(t.Context(), userCopy{write(t, "-- Cargo.toml --\n"), user}, target, map[string]bool{"own": true})
	require.NoError(t, forget(target, map[string]bool{"own": true}))
	var left []string
	for _, dir := range folders(filepath.Join(target, "debug", ".fingerprint")) {
		left = append(left, filepath.Base(dir))
	}
	require.Equal(t, strings.Fields("libc-00000000000000a1 own-00000000000000a2 own-00000000000000a3 own-00000000000000a4"), left)
}
