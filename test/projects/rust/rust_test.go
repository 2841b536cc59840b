// Package rust checks a crate that is not ours with the tools that are really there: semver 1.0.26, of cargo's registry,
// with its own tests. It needs cargo with rustfmt and clippy, in the folder bin of FORGE_TEST_TOOLS or on PATH; the crate
// comes through cargo the first time.
package rust

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/rust"
	"forge/engine/sandbox"
)

// crate is the real project.
const crate = "semver 1.0.26"

type dir string

func (d dir) Dir() string { return string(d) }

func environ() []string {
	env := os.Environ()
	if tools := os.Getenv("FORGE_TEST_TOOLS"); tools != "" {
		env = append(env, "PATH="+filepath.Join(tools, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	}
	return env
}

// fetch gives a fresh copy of the crate.
func fetch(t *testing.T) dir {
	t.Helper()
	name, version, _ := strings.Cut(crate, " ")
	wrapper := t.TempDir()
	put(t, wrapper, "Cargo.toml", "[package]\nname = \"wrapper\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\n"+name+" = \"="+version+"\"\n")
	put(t, wrapper, "src/lib.rs", "")
	c := exec.CommandContext(t.Context(), "cargo", "vendor", "--quiet", "vendor")
	c.Dir, c.Env = wrapper, environ()
	out, err := c.CombinedOutput()
	require.NoError(t, err, string(out))
	tree := filepath.Join(wrapper, "vendor", name)
	require.NoError(t, os.Remove(filepath.Join(tree, ".cargo-checksum.json")))
	home := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.CopyFS(home, os.DirFS(tree)))
	return dir(home)
}

func put(t *testing.T, root, name, text string) {
	t.Helper()
	name = filepath.Join(root, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}

func replace(t *testing.T, root dir, name, old, with string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root.Dir(), name))
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(text), old), "%s in %s", old, name)
	put(t, root.Dir(), name, strings.Replace(string(text), old, with, 1))
}

func gates(l gate.Language) map[string]gate.Gate {
	all := map[string]gate.Gate{}
	for _, g := range l.Gates {
		all[g.Name()] = g
	}
	return all
}

func listing(t *testing.T, tree dir) (names []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(tree.Dir(), func(path string, _ os.DirEntry, err error) error {
		names = append(names, path)
		return err
	}))
	return names
}

// One story, because everything is compiled into one place, as for a user's own project: it is warm, and must never be
// stale.
func TestRustGates_PublishedCrate(t *testing.T) {
	t.Parallel()
	tree := fetch(t)
	l := rust.Language(sandbox.New(sandbox.Options{Environ: environ()}), t.TempDir())
	require.Subset(t, l.Select(t.Context(), tree), []string{"cargo fmt", "cargo check", "cargo clippy", "cargo test"})
	all := gates(l)
	run := func(name string) gate.Report {
		report := all[name].Run(t.Context(), tree)
		t.Logf("%s: %v in %v: %s", name, report.Verdict, report.Elapsed, report.Summary)
		return report
	}
	files := listing(t, tree)

	// As it was published: its benchmarks need a nightly compiler, and no change is charged with that.
	before := run("cargo test")
	require.Equal(t, gate.Pass, before.Verdict, before.Output)
	require.GreaterOrEqual(t, before.Executed, 30)
	require.Len(t, before.PassedTests, before.Passed)
	require.Contains(t, before.PassedTests, "semver::test_version test_parse")
	require.Equal(t, gate.Pass, run("cargo fmt").Verdict)
	check := run("cargo check")
	require.Equal(t, gate.Fail, check.Verdict)
	require.Len(t, check.Findings, 1)
	require.Equal(t, "benches/parse.rs", check.Findings[0].Path)
	require.Equal(t, "E0554", check.Findings[0].Rule)
	require.Equal(t, files, listing(t, tree), "nothing is written into the tree")

	// A test is written first; cargo takes only the files that a published manifest names.
	replace(t, tree, "Cargo.toml", "autotests = false\n", "")
	put(t, tree.Dir(), "tests/test_next.rs", "use semver::Version;\n\n#[test]\nfn next_patch() {\n    assert_eq!(Version::new(1, 2, 3).next_patch(), Version::new(1, 2, 4));\n}\n")
	red := run("cargo test")
	is, why := l.Red(before, red)
	require.True(t, is, why)
	require.Equal(t, "tests/test_next.rs", red.Findings[0].Path)
	require.Equal(t, 5, red.Findings[0].Line)

	// The implementation is wrong, then right; the files are no older than what was made of them, nor newer.
	const begin = "    pub const fn new(major: u64, minor: u64, patch: u64) -> Self {"
	const method = "    /// The next patch.\n    pub fn next_patch(&self) -> Self {\n        Version::new(self.major, self.minor, self.patch + 1)\n    }\n\n"
	replace(t, tree, "src/lib.rs", begin, strings.Replace(method, "+ 1", "+ 2", 1)+begin)
	stamp, err := os.Stat(filepath.Join(tree.Dir(), "src", "lib.rs"))
	require.NoError(t, err)
	wrong := run("cargo test")
	require.Equal(t, gate.Fail, wrong.Verdict)
	require.Equal(t, "semver::test_next next_patch", wrong.Findings[0].Test)
	require.Equal(t, "tests/test_next.rs", wrong.Findings[0].Path)
	replace(t, tree, "src/lib.rs", "self.patch + 2", "self.patch + 1")
	require.NoError(t, os.Chtimes(filepath.Join(tree.Dir(), "src", "lib.rs"), stamp.ModTime(), stamp.ModTime()))
	green := run("cargo test")
	require.Equal(t, gate.Pass, green.Verdict, "what was compiled of an earlier text is not believed: %s", green.Summary)
	require.Contains(t, green.PassedTests, "semver::test_next next_patch")
	require.Equal(t, before.Executed+1, green.Executed)

	// Formatting.
	replace(t, tree, "src/lib.rs", "pub fn next_patch", "pub  fn  next_patch")
	require.Equal(t, gate.Fail, run("cargo fmt").Verdict)
	require.NoError(t, l.Format(t.Context(), tree, []string{"src/lib.rs"}))
	require.Equal(t, gate.Pass, run("cargo fmt").Verdict)

	// Clippy's findings in new code are charged, those in old code are not.
	lints := run("cargo clippy")
	replace(t, tree, "src/lib.rs", "Version::new(self.major, self.minor, self.patch + 1)", "return Version::new(self.major, self.minor, self.patch + 1);")
	charged := gate.Baseline([]gate.Report{lints}, []gate.Report{run("cargo clippy")})
	require.Equal(t, gate.Fail, charged[0].Verdict)
	require.Equal(t, []string{"clippy::needless_return"}, []string{charged[0].Findings[0].Rule})

	// Ways to be green without being right.
	put(t, tree.Dir(), "tests/test_next.rs", "#[test]\nfn next_patch() {\n    std::process::exit(0);\n}\n")
	require.Equal(t, gate.Fail, run("cargo test").Verdict, "the process ends before its harness")
	put(t, tree.Dir(), "tests/test_next.rs", "#[test]\n#[ignore]\nfn next_patch() {}\n")
	ignored := gate.Baseline([]gate.Report{green}, []gate.Report{run("cargo test")})
	require.Equal(t, gate.Fail, ignored[0].Verdict, "an ignored test was not executed")
	put(t, tree.Dir(), ".cargo/config.toml", "[alias]\nfmt = \"version\"\n")
	replace(t, tree, "src/lib.rs", "pub fn next_patch", "pub  fn  next_patch")
	require.Equal(t, gate.Fail, run("cargo fmt").Verdict, "an alias of the folder's does not stand in for the tool")
	put(t, tree.Dir(), ".cargo/config.toml", "[target.'cfg(all())']\nrunner = \"true\"\n")
	require.Equal(t, gate.Fail, run("cargo test").Verdict, "a program that runs the tests in the folder's stead runs none")
}
