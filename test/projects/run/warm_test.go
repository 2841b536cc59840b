package run

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// crates is a store of cargo with one downloaded crate, beside the user's folder; it needs no network.
func (w *world) crates() (environ []string) {
	w.t.Helper()
	home := w.t.TempDir()
	store := filepath.Join(home, "registry", "store")
	for name, text := range map[string]string{
		"registry/store/tiny/Cargo.toml":           "[package]\nname = \"tiny-crate\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[lib]\nname = \"tiny\"\n",
		"registry/store/tiny/src/lib.rs":           "pub fn one() -> i64 {\n    1\n}\n",
		"registry/store/tiny/.cargo-checksum.json": "{\"files\":{}}",
		"config.toml": "[source.crates-io]\nreplace-with = \"store\"\n[source.store]\ndirectory = \"" + store + "\"\n",
	} {
		put(w.t, home, name, text)
	}
	user, err := os.UserHomeDir()
	require.NoError(w.t, err)
	environ = []string{"CARGO_HOME=" + home}
	if os.Getenv("RUSTUP_HOME") == "" {
		environ = append(environ, "RUSTUP_HOME="+filepath.Join(user, ".rustup"))
	}
	w.environ = append(w.environ, environ...)
	return environ
}

// tests validates the folder with cargo test, and returns its summary.
func (w *world) tests() (code int, summary string) {
	w.t.Helper()
	code, out, stderr := w.run("validate", "--trust", "--json", "--gate", "cargo test")
	var result struct {
		Gates []struct{ Summary, Output string }
	}
	require.NoError(w.t, json.Unmarshal([]byte(out), &result), "%s%s", out, stderr)
	require.Len(w.t, result.Gates, 1, out)
	return code, result.Gates[0].Summary + "\n" + result.Gates[0].Output
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

// A run does not compile downloaded crates that the user's own builds compiled; it does not believe what they made of the folder's code, nothing
// in their target changes, and tests cannot write what the compiler remembers.
func TestValidate_BeginsWithTheUsersBuilds(t *testing.T) {
	t.Parallel()
	const code = "pub fn two() -> i64 {\n    tiny::one() + 1\n}\n"
	w := folder(t, map[string]string{
		".gitignore": "target\nCargo.lock\n", "src/lib.rs": code,
		"Cargo.toml": "[package]\nname = \"cores\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\ntiny-crate = \"0.1.0\"\n",
		"tests/it.rs": "#[test]\nfn is_two() {\n    assert_eq!(cores::two(), 2);\n}\n\n#[test]\nfn no_incremental_data() {\n    let target = std::env::var(\"CARGO_TARGET_DIR\").unwrap();\n" +
			"    assert_eq!(std::fs::read_dir(target + \"/debug/incremental\").map_or(0, |found| found.count()), 0);\n}\n",
	})
	c := exec.CommandContext(t.Context(), "cargo", "test", "--no-run", "--quiet", "--offline")
	c.Dir, c.Env = w.root, append(os.Environ(), w.crates()...)
	out, err := c.CombinedOutput()
	require.NoError(t, err, string(out))
	target := filepath.Join(w.root, "target")
	users, crate := times(t, target, "*"), times(t, target, "libtiny-*.rlib")
	require.Len(t, crate, 1)

	for range 2 { // the second time with incremental data
		exit, summary := w.tests()
		require.Zero(t, exit, summary)
		require.Contains(t, summary, "2 tests passed")
	}
	require.NotEmpty(t, times(t, filepath.Join(w.home, "build"), "query-cache.bin"))
	now := times(t, filepath.Join(w.home, "build"), "libtiny-*.rlib")
	require.Len(t, now, 1)
	for name, at := range crate {
		require.True(t, at.Equal(now[name]), "%s was compiled again", name)
	}
	require.Equal(t, users, times(t, target, "*"), "the user's folder")

	// The file is older than what was made of its earlier text, by the user and by the gates.
	w.put(map[string]string{"src/lib.rs": "pub fn two() -> i64 {\n    tiny::one() + 2\n}\n"})
	require.NoError(t, os.Chtimes(filepath.Join(w.root, "src/lib.rs"), time.Unix(1, 0), time.Unix(1, 0)))
	for _, home := range []string{w.home, t.TempDir()} {
		w.home = home
		exit, summary := w.tests()
		require.Equal(t, 1, exit, summary)
		require.Contains(t, summary, "is_two")
	}

	// The twin: without the user's builds the crate is compiled.
	require.NoError(t, os.RemoveAll(target))
	w.home = t.TempDir()
	w.put(map[string]string{"src/lib.rs": code})
	exit, summary := w.tests()
	require.Zero(t, exit, summary)
	for name, at := range times(t, filepath.Join(w.home, "build"), "libtiny-*.rlib") {
		require.False(t, at.Equal(crate[name]), name)
	}
}
