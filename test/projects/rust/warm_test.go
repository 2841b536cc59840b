package rust

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/rust"
	"forge/engine/sandbox"
	"forge/engine/shadow"
	folders "forge/engine/workspace"
)

// built is a user's folder with a crate that uses a downloaded one, and what their own cargo made of both.
func built(t *testing.T) string {
	t.Helper()
	root, store := t.TempDir(), t.TempDir() // cargo's copies of downloaded crates are outside of the folder
	for name, text := range map[string]string{
		"tiny/Cargo.toml":           "[package]\nname = \"tiny-crate\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[lib]\nname = \"tiny\"\n",
		"tiny/src/lib.rs":           "pub fn one() -> i64 {\n    1\n}\n",
		"tiny/.cargo-checksum.json": "{\"files\":{}}",
	} {
		put(t, store, name, text)
	}
	for name, text := range map[string]string{
		"Cargo.toml": manifest("cores", "[dependencies]\ntiny-crate = \"0.1.0\"\n"), ".gitignore": "target\nCargo.lock\n",
		".cargo/config.toml": "[source.crates-io]\nreplace-with = \"vendored\"\n[source.vendored]\ndirectory = \"" + store + "\"\n",
		"src/lib.rs":         "pub fn two() -> i64 {\n    tiny::one() + 1\n}\n",
		"tests/it.rs": "#[test]\nfn is_two() {\n    assert_eq!(cores::two(), 2);\n}\n\n" +
			"#[test]\nfn no_incremental_data() {\n    let target = std::env::var(\"CARGO_TARGET_DIR\").unwrap();\n    assert_eq!(std::fs::read_dir(target + \"/debug/incremental\").map_or(0, |found| found.count()), 0);\n}\n",
	} {
		put(t, root, name, text)
	}
	c := exec.CommandContext(t.Context(), "cargo", "test", "--no-run", "--quiet", "--offline")
	c.Dir, c.Env = root, environ()
	out, err := c.CombinedOutput()
	require.NoError(t, err, string(out))
	return root
}

// scratch is a scratch tree of a user's folder.
func scratch(t *testing.T, root string) *shadow.Tree {
	t.Helper()
	repo, err := shadow.Open(t.Context(), sandbox.New(sandbox.Options{Environ: environ()}), t.TempDir(), root)
	require.NoError(t, err)
	snapshot, err := repo.Snapshots.Take(t.Context(), folders.Snapshot{Root: root})
	require.NoError(t, err)
	tree, err := repo.Trees.Checkout(t.Context(), snapshot)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, tree.Close()) })
	return tree
}

// times returns the times of the files below a folder that match a pattern.
func times(t *testing.T, root, pattern string) map[string]time.Time {
	t.Helper()
	all := map[string]time.Time{}
	require.NoError(t, filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if is, _ := filepath.Match(pattern, e.Name()); is && err == nil {
			all[e.Name()] = info.ModTime()
		}
		return err
	}))
	return all
}

// What the user's own builds made of downloaded crates is not compiled again, what they made of the tree's own code is not believed, and
// nothing in the user's folder changes.
func TestRustGates_BeginWithTheUsersBuilds(t *testing.T) {
	t.Parallel()
	root, cache := built(t), t.TempDir()
	users := times(t, filepath.Join(root, "target"), "*")
	crate := times(t, filepath.Join(root, "target"), "libtiny-*.rlib")
	require.Len(t, crate, 1)
	suite := gates(rust.Language(sandbox.New(sandbox.Options{Environ: environ()}), cache))["cargo test"]
	tree := scratch(t, root)
	report := suite.Run(t.Context(), tree)
	require.Equal(t, gate.Pass, report.Verdict, "%s\n%s", report.Summary, report.Output)
	require.Equal(t, []string{"cores::it is_two", "cores::it no_incremental_data"}, report.Held)
	now := times(t, cache, "libtiny-*.rlib")
	require.Len(t, now, 1)
	for name, at := range crate {
		require.True(t, at.Equal(now[name]), "%s was compiled again", name)
	}
	require.Equal(t, users, times(t, filepath.Join(root, "target"), "*"), "the user's folder")
	require.True(t, suite.Run(t.Context(), tree).Verdict == gate.Pass, "with incremental data")

	// The file is older than what the user's cargo made of its earlier text.
	replace(t, dir(root), "src/lib.rs", "+ 1", "+ 2")
	require.NoError(t, os.Chtimes(filepath.Join(root, "src/lib.rs"), time.Unix(1, 0), time.Unix(1, 0)))
	wrong := gates(rust.Language(sandbox.New(sandbox.Options{Environ: environ()}), t.TempDir()))["cargo test"].Run(t.Context(), scratch(t, root))
	require.Equal(t, gate.Fail, wrong.Verdict, wrong.Output)
	require.Equal(t, "cores::it is_two", wrong.Findings[0].Test)

	// The twin: without the user's builds the crate is compiled.
	require.NoError(t, os.RemoveAll(filepath.Join(root, "target")))
	cold := t.TempDir()
	gates(rust.Language(sandbox.New(sandbox.Options{Environ: environ()}), cold))["cargo test"].Run(t.Context(), scratch(t, root))
	for name, at := range times(t, cold, "libtiny-*.rlib") {
		require.False(t, at.Equal(crate[name]), name)
	}
}
