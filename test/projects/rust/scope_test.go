package rust

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/rust"
	"forge/engine/sandbox"
)

// workspace is one of three crates: app depends on core, and no crate on alone, whose code does not compile.
func workspace(t *testing.T) dir {
	t.Helper()
	root := t.TempDir()
	manifest := func(name, more string) string {
		return "[package]\nname = \"" + name + "\"\nversion = \"0.1.0\"\nedition = \"2021\"\n" + more
	}
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
	require.Equal(t, []string{"app is_two", "cores is_one", "cores is_small"}, suite.Held)
	require.Equal(t, []string{"app is_two"}, suite.Beyond)
	require.Equal(t, "3 tests passed in 2 programs of 2 packages, of 3: those that the change concerns", suite.Summary)
	near := run("cargo test", gate.Scope{Changed: wide.Changed, Reach: gate.ReachNear})
	require.Equal(t, []string{"cores is_one", "cores is_small"}, near.Held)
	require.Equal(t, []string{"cores is_small"}, run("cargo test", gate.Scope{Only: []string{"cores is_small"}}).Held)

	replace(t, tree, "cores/src/lib.rs", "    1\n", "    3\n")
	failed := run("cargo test", wide)
	require.Equal(t, gate.Fail, failed.Verdict)
	require.Len(t, failed.Findings, 2)
	require.ElementsMatch(t, []string{"app is_two", "cores is_one"}, []string{failed.Findings[0].Test, failed.Findings[1].Test})
	broken := run("cargo test", gate.Scope{Changed: []string{"alone/src/lib.rs"}, Reach: gate.ReachWide})
	require.Equal(t, gate.Fail, broken.Verdict)
	require.Equal(t, "alone/src/lib.rs", broken.Findings[0].Path)
}
