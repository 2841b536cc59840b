package rust

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/rust"
	"forge/engine/sandbox"
)

// manifest is one of a crate.
func manifest(name, more string) string {
	return "[package]\nname = \"" + name + "\"\nversion = \"0.1.0\"\nedition = \"2021\"\n" + more
}

// workspace is one of three crates: app depends on core, and no crate on alone, whose code does not compile.
func workspace(t *testing.T) dir {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"Cargo.toml":       "[workspace]\nmembers = [\"cores\", \"app\", \"alone\"]\nresolver = \"2\"\n",
		"cores/Cargo.toml": manifest("cores", ""),
		"cores/src/lib.rs": "pub fn one() -> i64 {\n    1\n}\n\n#[test]\nfn is_one() {\n    assert_eq!(one(), 1);\n}\n\n#[test]\nfn is_small() {}\n",
		"app/Cargo.toml":   manifest("app", "[dependencies]\ncores = { path = \"../cores\" }\n"),
		"app/src/lib.rs":   "pub fn two() -> i64 {\n    cores::one() + 1\n}\n\n#[test]\nfn is_two() {\n    assert_eq!(two(), 2);\n}\n",
		"alone/Cargo.toml": manifest("alone", ""),
		"alone/src/lib.rs": "pub fn broken() -> i64 {\n    \"three\"\n}\n",
	} {
		put(t, root, name, text)
	}
	return dir(root)
}

func TestScope_OfAWorkspaceIsTheAffectedCrates(t *testing.T) {
	t.Parallel()
	tree := workspace(t)
	all := gates(rust.Language(sandbox.New(sandbox.Options{Environ: environ()}), t.TempDir()))
	run := func(name string, scope gate.Scope) gate.Report {
		report := gate.RunIn(t.Context(), all[name], tree, scope)
		t.Logf("%s: %v: %s", name, report.Verdict, report.Summary)
		return report
	}
	wide := gate.Scope{Changed: []string{"cores/src/lib.rs"}, Reach: gate.ReachWide}
	for _, name := range []string{"cargo check", "cargo clippy"} {
		report := run(name, wide)
		require.Equal(t, gate.Pass, report.Verdict, report.Output)
		require.Equal(t, "2 packages checked, of 3: those that the change concerns", report.Summary)
	}
	require.Equal(t, gate.Fail, run("cargo check", gate.Scope{}).Verdict, "the twin: everything")

	suite := run("cargo test", wide)
	require.Equal(t, gate.Pass, suite.Verdict, suite.Output)
	require.Equal(t, []string{"app is_two", "cores is_one", "cores is_small"}, suite.PassedTests)
	require.Equal(t, []string{"app is_two"}, suite.PassedBeyond)
	require.True(t, suite.Part, "so that all tests are run after the proposal")
	require.Equal(t, "3 tests passed in 2 programs of 2 packages, of 3: those that the change concerns", suite.Summary)
	near := run("cargo test", gate.Scope{Changed: wide.Changed, Reach: gate.ReachNear})
	require.Equal(t, []string{"cores is_one", "cores is_small"}, near.PassedTests)
	require.Equal(t, []string{"cores is_small"}, run("cargo test", gate.Scope{Only: []string{"cores is_small"}}).PassedTests)

	replace(t, tree, "cores/src/lib.rs", "    1\n", "    3\n")
	failed := run("cargo test", wide)
	require.Equal(t, gate.Fail, failed.Verdict)
	require.Len(t, failed.Findings, 2)
	require.ElementsMatch(t, []string{"app is_two", "cores is_one"}, []string{failed.Findings[0].Test, failed.Findings[1].Test})
	broken := run("cargo test", gate.Scope{Changed: []string{"alone/src/lib.rs"}, Reach: gate.ReachWide})
	require.Equal(t, gate.Fail, broken.Verdict)
	require.Equal(t, "alone/src/lib.rs", broken.Findings[0].Path)
}

// Where nothing but main files of programs of tests has changed, these programs run, and neither the tests in the code nor the examples in the documentation.
func TestScope_OfAChangedFileOfTestsIsItsProgram(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	const isOne = "#[test]\nfn is_one() {\n    assert_eq!(cores::one(), 1);\n}\n"
	for name, text := range map[string]string{
		"Cargo.toml": manifest("cores", ""), "src/lib.rs": "/// ```\n/// cores::one();\n/// ```\npub fn one() -> i64 {\n    1\n}\n\n#[test]\nfn is_here() {}\n",
		"tests/it.rs": isOne, "tests/other.rs": "mod common;\n" + isOne, "tests/common/mod.rs": "",
	} {
		put(t, root, name, text)
	}
	suite := gates(rust.Language(sandbox.New(sandbox.Options{Environ: environ()}), t.TempDir()))["cargo test"]
	for changed, want := range map[string][]string{
		"tests/it.rs":                 {"cores::it is_one"},
		"tests/it.rs tests/other.rs":  {"cores::it is_one", "cores::other is_one"},
		"tests/other.rs README.md":    {"cores::other is_one"},
		"tests/common/mod.rs":         {"cores is_here", "cores::doc src/lib.rs - one", "cores::it is_one", "cores::other is_one"},
		"tests/it.rs src/lib.rs":      {"cores is_here", "cores::doc src/lib.rs - one", "cores::it is_one", "cores::other is_one"},
		"tests/it.rs tests/absent.rs": {"cores is_here", "cores::doc src/lib.rs - one", "cores::it is_one", "cores::other is_one"},
	} {
		report := gate.RunIn(t.Context(), suite, dir(root), gate.Scope{Changed: strings.Fields(changed), Reach: gate.ReachNear})
		require.Equal(t, gate.Pass, report.Verdict, report.Output)
		require.Equal(t, want, report.PassedTests, changed)
		require.Equal(t, len(want) < 4, report.Part, changed)
	}
}
