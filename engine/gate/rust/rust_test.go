package rust

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
)

// dir is a tree for tests.
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

// canned plays the tools: for the first words of a command that fit, what it says. It notes what was started.
type canned struct {
	says    map[string]sandbox.Result
	err     error
	started *[]sandbox.Command
}

func (c canned) Run(_ context.Context, command sandbox.Command) (sandbox.Result, error) {
	if c.started != nil {
		*c.started = append(*c.started, command)
	}
	line := strings.Join(command.Argv, " ")
	best := ""
	for words := range c.says {
		if strings.HasPrefix(line, words) && len(words) > len(best) || strings.HasSuffix(words, "$") && line == strings.TrimSuffix(words, "$") {
			best = words
		}
	}
	result := c.says[best]
	result.Stdout = []byte(strings.ReplaceAll(string(result.Stdout), "/tree", command.Dir))
	result.Stderr = []byte(strings.ReplaceAll(string(result.Stderr), "/tree", command.Dir))
	return result, c.err
}

const (
	metadata = `{"packages":[{"id":"i","name":"m","manifest_path":"/tree/Cargo.toml","targets":[{"name":"m"}]}]}`
	artifact = `{"reason":"compiler-artifact","package_id":"i","target":{"kind":["lib"],"name":"m"},"profile":{"test":true},"executable":"/target/debug/deps/m-8348ca7a80742723"}` + "\n"
	finished = `{"reason":"build-finished","success":true}` + "\n"
	running  = "     Running unittests src/lib.rs (/target/debug/deps/m-8348ca7a80742723)\n"
	passing  = running + "\nrunning 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"
)

func says(stdout string) sandbox.Result { return sandbox.Result{Stdout: []byte(stdout)} }

// sound are tools with which every gate passes.
func sound() map[string]sandbox.Result {
	return map[string]sandbox.Result{
		"cargo metadata": says(metadata), "cargo-fmt": says("Formatting /tree/src/lib.rs\n"),
		"cargo check": says(artifact + finished), "cargo-clippy": says(artifact + finished),
		"cargo test --workspace --no-run": says(artifact + finished), "cargo test --workspace --no-fail-fast": says(passing),
	}
}

// changed are sound tools but one.
func changed(words string, to sandbox.Result) map[string]sandbox.Result {
	all := sound()
	for known := range all {
		if strings.HasPrefix(known, words) {
			all[known] = to
		}
	}
	return all
}

func fails(code int, stdout, stderr string) sandbox.Result {
	return sandbox.Result{ExitCode: code, Stdout: []byte(stdout), Stderr: []byte(stderr)}
}

// Every gate, with tools that misbehave: whatever cannot be understood is not a pass.
func TestGates_PassOnlyKnownOutput(t *testing.T) {
	t.Parallel()
	const offline = "error: no matching package named `x` found\nAs a reminder, you're using offline mode (--offline) which can sometimes cause surprising resolution failures\n"
	for _, tt := range []struct {
		name    string
		says    map[string]sandbox.Result
		err     error
		gates   string // empty is all
		verdict gate.Verdict
		summary string
	}{
		{"sound tools", sound(), nil, "", gate.Pass, ""},
		{"a test that passed", sound(), nil, nameTest, gate.Pass, "1 test passed in 1 program"},
		{"not started", nil, &sandbox.NotStartedError{Name: "cargo", Reason: "it is in no folder of PATH", Err: fs.ErrNotExist}, "", gate.NotRun, "https://rustup.rs"},
		{"the runner is broken", nil, errors.New("broken"), "", gate.Error, "was stopped: broken"},
		{"they say nothing, and no", changed("", fails(1, "", "")), nil, "", gate.Error, "code 1 and said: nothing"},
		{"they fail with nonsense", changed("cargo check", fails(101, "what\n", "")), nil, nameCheck, gate.Error, "code 101"},
		{"killed", changed("cargo test --workspace --no-run", fails(-1, "", "")), nil, nameTest, gate.Error, "code -1"},
		{"no end of the build", changed("cargo check", says(artifact)), nil, nameCheck, gate.Error, "without its final message"},
		{"nothing was compiled", changed("cargo check", says(finished)), nil, nameCheck, gate.NotRun, "no Rust packages"},
		{"time is over", changed("cargo test --workspace --no-fail", sandbox.Result{TimedOut: true, ExitCode: -1, Stdout: []byte(running + "\nrunning 2 tests\ntest slow has been running for over 60 seconds\n")}), nil, nameTest, gate.Error, "running: slow"},
		{"too much is said", changed("cargo test --workspace --no-fail", sandbox.Result{Truncated: true, Stdout: []byte(passing)}), nil, nameTest, gate.Error, "more than can be read"},
		{"too much is said before the tests", changed("cargo test --workspace --no-fail", sandbox.Result{Truncated: true, Stdout: []byte(running)}), nil, nameTest, gate.Error, "more than can be read"},
		{"no test program was built", changed("cargo test --workspace --no-fail", says("")), nil, nameTest, gate.NotRun, "no tests"},
		{"a program says nothing", changed("cargo test --workspace --no-fail", says(running)), nil, nameTest, gate.Fail, "ended before its first test"},
		{"a test failed, and cargo did not", changed("cargo test --workspace --no-fail", says(strings.ReplaceAll(strings.ReplaceAll(passing, "... ok", "... FAILED"), "ok. 1 passed; 0 failed", "FAILED. 0 passed; 1 failed"))), nil, nameTest, gate.Fail, "1 of 1 test failed"},
		{"cargo failed, and no test did", changed("cargo test --workspace --no-fail", fails(101, passing, "")), nil, nameTest, gate.Error, "code 101"},
		{"a sum that is wrong", changed("cargo test --workspace --no-fail", says(strings.ReplaceAll(passing, "1 passed", "2 passed"))), nil, nameTest, gate.Fail, "imitates the test harness"},
		{"a program that was not built", changed("cargo test --workspace --no-fail", says(strings.ReplaceAll(passing, "8348", "0000"))), nil, nameTest, gate.NotRun, "no tests"},
		{"the same program twice", changed("cargo test --workspace --no-fail", says(passing+passing)), nil, nameTest, gate.Fail, "named twice"},
		{"no network", changed("cargo check", fails(101, "", offline+"error: failed to download from `https://x`\n[6] Could not resolve host: x\n")), nil, nameCheck, gate.Error, "crates could not be downloaded"},
		{"a crate that does not exist", changed("cargo check", fails(101, "", offline)), nil, nameCheck, gate.Fail, "no matching package named"},
		{"no clippy", changed("cargo-clippy", fails(1, "", "error: 'cargo-clippy' is not installed for the toolchain '1.95.0-x'.\n")), nil, nameClippy, gate.NotRun, "`rustup component add clippy --toolchain 1.95.0-x` installs it"},
		{"no such toolchain", changed("cargo", fails(1, "", "error: toolchain 'nightly-2020' is not installed\n")), nil, "", gate.NotRun, "nightly-2020"},
		{"a compiler that is too old", changed("cargo check", fails(101, "", "error: rustc 1.60 is not supported by the following package:\n  m@0.1.0 requires rustc 1.99\n")), nil, nameCheck, gate.NotRun, "not supported"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := Language(canned{says: tt.says, err: tt.err}, t.TempDir())
			tree := write(t, "-- Cargo.toml --\n[package]\nname = \"m\"\n-- src/lib.rs --\n")
			for _, g := range l.Gates {
				if tt.gates != "" && g.Name() != tt.gates {
					continue
				}
				report := g.Run(t.Context(), tree)
				require.Equal(t, tt.verdict.String(), report.Verdict.String(), "%s: %s", g.Name(), report.Summary)
				require.Contains(t, report.Summary, tt.summary)
				require.Equal(t, g.Name(), report.Gate)
				require.LessOrEqual(t, len([]rune(report.Summary)), 200)
			}
		})
	}
}

// Cargo is asked without the network first; only what cannot be had so is asked for once more.
func TestCargo_UsesTheNetworkOnlyWhereItMust(t *testing.T) {
	t.Parallel()
	var started []sandbox.Command
	run := func(says map[string]sandbox.Result) (lines []string) {
		started = nil
		Language(canned{says: says, started: &started}, t.TempDir()).Gates[1].Run(t.Context(), write(t, "-- Cargo.toml --\n"))
		for _, c := range started {
			require.NotContains(t, c.Env, "RUSTUP_AUTO_INSTALL=1")
			require.Contains(t, c.Env, "RUSTUP_AUTO_INSTALL=0")
			require.Equal(t, c.Argv[1] == "fetch", c.Away, "only what downloads starts where it finds no settings of the tree")
			if c.Argv[1] == "fetch" {
				lines = append(lines, c.Argv[1])
			}
			if c.Argv[1] == "check" {
				lines = append(lines, c.Argv[len(c.Argv)-1])
			}
		}
		return lines
	}
	require.Equal(t, []string{"--offline"}, run(sound()))
	require.Equal(t, []string{"--offline", "fetch", "--offline"}, run(changed("cargo check", fails(101, "", "error: x (--offline)\n"))))
}

func TestRoots_AreTheFoldersOfProjects(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		files string
		roots []string
	}{
		"a package":                  {"-- Cargo.toml --\n[package]\n", []string{""}},
		"two":                        {"-- a/Cargo.toml --\n[package]\n-- b/Cargo.toml --\n[package]\n", []string{"a", "b"}},
		"a workspace has members":    {"-- Cargo.toml --\n[workspace]\n-- a/Cargo.toml --\n[package]\n-- b/c/Cargo.toml --\n", []string{""}},
		"one is left out":            {"-- Cargo.toml --\n[workspace]\nexclude = [\n\t\"b\",\n]\n-- a/Cargo.toml --\n[package]\n-- b/Cargo.toml --\n", []string{"", "b"}},
		"a workspace in one":         {"-- Cargo.toml --\n[workspace.package]\n-- a/Cargo.toml --\n[workspace]\n", []string{"", "a"}},
		"a package is no workspace":  {"-- Cargo.toml --\n[package]\n-- x/Cargo.toml --\n[package]\n", []string{"", "x"}},
		"fuzz targets":               {"-- Cargo.toml --\n[package]\n-- fuzz/Cargo.toml --\n[package.metadata]\ncargo-fuzz = true\n", []string{""}},
		"as cargo-fuzz makes them":   {"-- Cargo.toml --\n[package]\n-- fuzz/Cargo.toml --\n[package.metadata]\ncargo-fuzz = true\n[workspace]\nmembers = [\".\"]\n", []string{""}},
		"a workspace beside fuzzing": {"-- Cargo.toml --\n[package]\n[package.metadata]\ncargo-fuzz = true\n[workspace]\nmembers = [\"a\"]\n-- a/Cargo.toml --\n[package]\n", []string{""}},
		"data of tests":              {"-- Cargo.toml --\n-- tests/x/Cargo.toml --\n-- testdata/y/Cargo.toml --\n-- vendor/z/Cargo.toml --\n", []string{""}},
		"none":                       {"-- src/lib.rs --\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			texts := map[string][]byte{}
			var paths []string
			for _, f := range txtar.Parse([]byte(tt.files)).Files {
				texts[f.Name] = f.Data
				paths = append(paths, f.Name)
			}
			slices.Sort(paths)
			require.Empty(t, cmp.Diff(tt.roots, roots(paths, func(p string) ([]byte, error) { return texts[p], nil })))
		})
	}
}

func TestIsTest_KnowsFilesByTheirPaths(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"tests/it.rs": true, "crates/a/tests/common/mod.rs": true, "src/parse_test.rs": true, "src/parse/tests.rs": true, "src/tests/a.rs": true,
		"benches/b.rs": true, "tests/data/x.txt": true, "src/lib.rs": false, "src/testing.rs": false, "build.rs": false, "Cargo.toml": false, "src/contest.rs": false,
	} {
		require.Equal(t, want, IsTest(path), path)
	}
}

func TestRed_IsANewTestThatFails(t *testing.T) {
	t.Parallel()
	failed := gate.Finding{Path: "src/lib.rs", Rule: ruleTest, Test: "m::new a", Message: "want 2"}
	inTest := gate.Finding{Path: "tests/new.rs", Rule: "E0432", Message: "unresolved import"}
	inCode := gate.Finding{Path: "src/lib.rs", Rule: "E0432", Message: "unresolved import"}
	manifest := gate.Finding{Path: "tests/Cargo.toml", Rule: ruleModule, Message: "no such crate"}
	died := gate.Finding{Path: "tests/new.rs", Rule: ruleTest, Message: "m::new: the process died"}
	pass := gate.Report{Verdict: gate.Pass, Executed: 3}
	fail := func(f ...gate.Finding) gate.Report { return gate.Report{Verdict: gate.Fail, Findings: f} }
	for name, tt := range map[string]struct {
		before, after gate.Report
		reason        string // empty means red
	}{
		"a new test fails":                   {pass, fail(failed), ""},
		"a test names what is not there":     {pass, fail(inTest), ""},
		"a test names a missing macro":       {pass, fail(gate.Finding{Path: "tests/new.rs", Rule: ruleCompile, Message: "cannot find macro `sum` in this scope"}), ""},
		"a test is no Rust":                  {pass, fail(inTest, gate.Finding{Path: "tests/new.rs", Rule: ruleCompile, Message: "expected `;`, found `}`"}), "not because something is missing"},
		"a denied lint":                      {pass, fail(inTest, gate.Finding{Path: "src/lib.rs", Line: 9, Rule: ruleInline + "unused_variables", Message: "unused variable: `x`"}), "src/lib.rs:9: unused variable"},
		"the first test of a project":        {gate.Report{}, fail(failed), ""},
		"nothing fails":                      {pass, pass, "prove nothing"},
		"nothing ran":                        {pass, gate.Report{Summary: "no tests"}, "(not-run)"},
		"what was before is not known":       {gate.Report{Verdict: gate.Error}, fail(failed), "not known"},
		"only what failed before":            {fail(failed), fail(failed), "no new test fails"},
		"the code does not build":            {pass, fail(inTest, inCode), "does not build: src/lib.rs"},
		"the manifest is broken":             {pass, fail(manifest), "does not build"},
		"a program dies: no test was seen":   {pass, fail(died), "no new test fails"},
		"a fail that says nothing is no red": {pass, fail(), "no new test fails"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ok, reason := Red(tt.before, tt.after)
			require.Equal(t, tt.reason == "", ok, reason)
			require.Contains(t, reason, tt.reason)
		})
	}
}

func TestSelect_ListsInstalledOrRequiredTools(t *testing.T) {
	t.Parallel()
	without := canned{says: map[string]sandbox.Result{"cargo-clippy --version": fails(1, "", "")}}
	plain, configured := "-- Cargo.toml --\n[package]\n", "-- Cargo.toml --\n[lints.clippy]\nall = \"warn\"\n"
	three := []string{nameFormat, nameCheck, nameTest}
	four := []string{nameFormat, nameCheck, nameClippy, nameTest}
	require.Equal(t, three, Language(without, "").Select(t.Context(), write(t, plain)))
	require.Equal(t, four, Language(canned{}, "").Select(t.Context(), write(t, plain)))
	require.Equal(t, four, Language(without, "").Select(t.Context(), write(t, configured)), "wanted and missing: it will say so")
}

// A folder does not bring its own compiler.
func TestToolchain_IsNeverTheFolders(t *testing.T) {
	t.Parallel()
	var started []sandbox.Command
	tree := write(t, "-- Cargo.toml --\n-- rust-toolchain.toml --\n[toolchain]\npath = \"./evil\"\n")
	below := gate.InDir(write(t, "-- core/Cargo.toml --\n-- rust-toolchain.toml --\n[toolchain]\npath = \"./evil\"\n"), "core")
	for _, g := range Language(canned{says: sound(), started: &started}, t.TempDir()).Gates {
		require.Equal(t, gate.Error, g.Run(t.Context(), tree).Verdict, g.Name())
		require.Equal(t, gate.Error, g.Run(t.Context(), below).Verdict, g.Name())
	}
	require.Empty(t, started)
}

func TestFormat_ChangesOnlyNamedFiles(t *testing.T) {
	t.Parallel()
	tree := write(t, "-- Cargo.toml --\n[package]\nedition = \"2021\"\n-- src/lib.rs --\nfn  a() {}\n-- README --\nx\n")
	format := func(result sandbox.Result) string {
		var started []sandbox.Command
		c := cargo{tools: tool.Tools{Runner: canned{says: map[string]sandbox.Result{"rustfmt": result}, started: &started}}}
		require.NoError(t, c.format(t.Context(), tree, []string{"src/lib.rs", "README"}))
		require.Len(t, started, 1)
		require.Contains(t, started[0].Argv, "2021")
		text, err := os.ReadFile(filepath.Join(tree.Dir(), "src", "lib.rs"))
		require.NoError(t, err)
		return string(text)
	}
	require.Equal(t, "fn  a() {}\n", format(fails(1, "half", "error: no\n")), "what rustfmt cannot read stays")
	require.Equal(t, "fn a() {}\n", format(says("fn a() {}\n")))
	require.Error(t, cargo{tools: tool.Tools{Runner: canned{}}}.format(t.Context(), tree, []string{"../x.rs"}))
}
