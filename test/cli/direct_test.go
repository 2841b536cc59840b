package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A run carries out the user's patch without a model's turn: only the reviewer is asked, gates check the change, and it is
// accepted like any other.
func TestRunTools_ApplyAPatchWithoutAModel(t *testing.T) {
	t.Parallel()
	w := scripted(t, reviewPass, sumModule())
	w.put(map[string]string{"old.go": "package sum\n", "sum_test.go": "package sum\n\nimport \"testing\"\n\nfunc TestNothing(*testing.T) {}\n"})
	args := filepath.Join(t.TempDir(), "args.json")
	require.NoError(t, os.WriteFile(args, []byte(`{"patch": "*** Begin Patch\n*** Add File: add.go\n+package sum\n+\n+// Add adds.\n+func Add(a, b int) int { return a + b }\n*** End Patch"}`), 0o600))
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--json", "--tool", "apply_patch", "--args", "@"+args, "--tool", "delete_file", "--args", `{"path": "old.go"}`)
	require.Equal(t, 0, code, stdout+stderr)
	require.Equal(t, fineAdd, w.read("add.go"))
	require.NoFileExists(t, filepath.Join(w.root, "old.go"))
	all, _ := events(t, stdout)
	require.Contains(t, string(all[0].Data), `"task":"Use apply_patch, delete_file as given."`)
	require.NotEmpty(t, reports(t, all, "go build"))
	for _, node := range []string{"orchestrator", "spec", "explorer", "executor", "tests"} {
		require.Zero(t, w.journal.requests(node), node)
	}
	w.played()
}

// A change by tools that breaks the build is not accepted: gates decide about it as about any other.
func TestRunTools_FailingGatesRejectTheChange(t *testing.T) {
	t.Parallel()
	w := scripted(t, reviewPass, sumModule())
	before := fingerprint(t, w.root)
	code, _, stderr := w.run("run", "--yes", "--trust", "--tool", "write_file", "--args", `{"path": "add.go", "content": "package sum\n\nvar x int = \"one\"\n"}`, "set x")
	require.Equal(t, 3, code, stderr)
	require.Contains(t, stderr, "gave up after 1 attempts")
	require.Contains(t, stderr, "not verified")
	require.Equal(t, before, fingerprint(t, w.root))
	require.Zero(t, w.journal.requests("executor"))
}

// Invalid arguments for tools are reported before anything starts.
func TestRunTools_RejectsInvalidArgumentsBeforeTheRun(t *testing.T) {
	t.Parallel()
	w := scripted(t, reviewPass, sumModule())
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"no arguments":      {[]string{"--tool", "delete_file"}, "1 --tool and 0 --args: each tool needs its arguments"},
		"no such file":      {[]string{"--tool", "delete_file", "--args", "@nowhere.json"}, "--args @nowhere.json: "},
		"no such tool":      {[]string{"--tool", "rm", "--args", "{}"}, `direct[0]: "rm" is no tool that works without a model: choose one of read_file`},
		"not as its schema": {[]string{"--tool", "delete_file", "--args", `{"file": "sum.go"}`}, `delete_file takes no argument "file". It takes (path)`},
		"no JSON":           {[]string{"--tool", "delete_file", "--args", "sum.go"}, "the arguments of delete_file are not a JSON object"},
		"a mode that reads": {[]string{"--mode", "plan", "--tool", "delete_file", "--args", `{"path": "sum.go"}`}, "a run that only answers accepts no tools"},
		"a plan":            {[]string{"--plan", "--tool", "delete_file", "--args", `{"path": "sum.go"}`}, "--tool does not use --plan: leave it out"},
		"a small plan":      {[]string{"--lite", "--tool", "delete_file", "--args", `{"path": "sum.go"}`}, "--tool does not use --lite: leave it out"},
		"a profile":         {[]string{"--profile", "tdd", "--tool", "delete_file", "--args", `{"path": "sum.go"}`}, "leave out the profile, or the tool"},
		"neither task":      {nil, "the task is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, _, stderr := w.run(append([]string{"run", "--yes", "--trust"}, c.args...)...)
			require.Equal(t, 2, code, stderr)
			require.Contains(t, stderr, c.says)
		})
	}
	require.Empty(t, asked[runList](w, "runs").first())
}

// A rename needs no model, not even for a review, and changes the tests of what it renames: the user asked for that.
func TestRunTools_RenameWithItsTestsWithoutAModel(t *testing.T) {
	t.Parallel()
	w := modelsWorld(t)
	w.put(map[string]string{"add.go": fineAdd, "add_test.go": "package sum\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fail()\n\t}\n}\n"})
	said := w.said(0, "run", "--trust", "--yes", "--tool", "rename", "--args", `{"symbol": "Add", "to": "Plus"}`)
	require.Contains(t, said, "a rename or a replacement needs none")
	require.Contains(t, texts(t, w.root)["add_test.go"], "if Plus(1, 2)")
	require.Contains(t, texts(t, w.root)["add.go"], "func Plus(")
}
