package rust

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/sandbox"
)

// Where a scope allows it, examples of documentation are listed and not run, and everything else is run.
func TestExamples_AreListedWhereTheScopeAllowsIt(t *testing.T) {
	t.Parallel()
	const doc, docRun = "   Doc-tests m\n", "--doc --offline -- --list"
	documented := strings.Replace(metadata, `{"name":"m"}`, `{"name":"m","doctest":true}`, 1)
	all := doc + "src/lib.rs - (line 1): test\nsrc/lib.rs - one (line 4): test\nsrc/lib.rs - one (line 7): test\nsrc/lib.rs - one (line 10): test\n\n4 tests, 0 benchmarks\n"
	const ignored = doc + "src/lib.rs - one (line 4): test\n\n1 test, 0 benchmarks\n"
	for name, tt := range map[string]struct {
		scope    gate.Scope
		metadata string
		list     sandbox.Result
		listed   []string
	}{
		"allowed":             {gate.Scope{List: true}, documented, says(all), []string{"m::doc src/lib.rs -", "m::doc src/lib.rs - one #2", "m::doc src/lib.rs - one #3"}},
		"not allowed":         {gate.Scope{}, documented, says(all), nil},
		"no documentation":    {gate.Scope{List: true}, metadata, says(all), nil},
		"they are not listed": {gate.Scope{List: true}, documented, fails(101, all, ""), nil},
		"of no crate":         {gate.Scope{List: true}, documented, says("x: test\n"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tools := changed("cargo metadata", says(tt.metadata))
			tools["cargo test --workspace "+docRun] = tt.list
			tools["cargo test --workspace "+docRun+" --ignored"] = says(ignored)
			tools["cargo test --workspace --tests"] = says(passing)
			var started []sandbox.Command
			suite := Language(canned{says: tools, started: &started}, t.TempDir()).Gates[3]
			report := gate.RunIn(t.Context(), suite, write(t, "-- Cargo.toml --\n[package]\nname = \"m\"\n-- src/lib.rs --\n"), tt.scope)
			require.Equal(t, gate.Pass, report.Verdict, report.Summary)
			require.Equal(t, tt.listed, report.Listed)
			require.Equal(t, 1+len(tt.listed), report.Executed)
			require.Equal(t, 1, report.Passed)
			require.Equal(t, append([]string{"m a"}, tt.listed...), report.PassedTests)
			last := strings.Join(started[len(started)-1].Argv, " ")
			require.Equal(t, tt.listed != nil, strings.Contains(last, "--tests"), last)
			require.Equal(t, tt.listed != nil, strings.Contains(report.Summary, "3 examples of the documentation listed, not run"), report.Summary)
		})
	}
}

// The examples of a library belong to its package, although another package has a program of the same name.
func TestExamples_BelongToTheLibraryOfTheirName(t *testing.T) {
	t.Parallel()
	const both = `{"packages":[
{"id":"1","name":"foo","manifest_path":"/tree/foo/Cargo.toml","targets":[{"name":"foo","kind":["lib"],"doctest":true}]},
{"id":"2","name":"foo-cli","manifest_path":"/tree/cli/Cargo.toml","targets":[{"name":"cli","kind":["lib"],"doctest":true},{"name":"foo","kind":["bin"],"doctest":false}]}]}`
	example := func(library, file string) string {
		return "   Doc-tests " + library + "\n\nrunning 1 test\ntest " + file + " - (line 1) ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"
	}
	tools := changed("cargo metadata", says(both))
	tools["cargo test --workspace --no-fail-fast"] = says(example("cli", "cli/src/lib.rs") + example("foo", "foo/src/lib.rs"))
	suite, tree := Language(canned{says: tools}, t.TempDir()).Gates[3], write(t, "-- Cargo.toml --\n[workspace]\nmembers = [\"foo\", \"cli\"]\n")
	for range 20 { // the packages are in no order
		report := suite.Run(t.Context(), tree)
		require.Equal(t, gate.Pass, report.Verdict, "%s: %v", report.Summary, report.Findings)
		require.Equal(t, []string{"foo-cli::doc cli/src/lib.rs -", "foo::doc foo/src/lib.rs -"}, report.PassedTests)
	}
}

// Cargo sees the tree in place, and units that are the user's; the compiler's wrapper is switched off where the folder has settings of cargo.
func TestCargo_BuildsTheUsersUnits(t *testing.T) {
	t.Parallel()
	for archive, set := range map[string]bool{"-- Cargo.toml --\n": false, "-- Cargo.toml --\n-- .cargo/config.toml --\n": true} {
		var started []sandbox.Command
		Language(canned{says: sound(), started: &started}, t.TempDir()).Gates[3].Run(t.Context(), write(t, archive))
		builds := 0
		for _, c := range started {
			require.True(t, c.InPlace, c.Argv)
			require.Contains(t, c.Env, "RUSTC_WRAPPER=")
			if c.Argv[1] == "test" {
				builds++
				require.Equal(t, set, slices.Contains(c.Env, "RUSTC_WORKSPACE_WRAPPER="), archive)
			}
		}
		require.Equal(t, 2, builds)
	}
}
