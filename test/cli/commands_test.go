package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// settings writes the user's own settings.
func (w *world) settings(text string) {
	w.t.Helper()
	require.NoError(w.t, os.WriteFile(filepath.Join(w.home, "config.yaml"), []byte(text), 0o600))
}

// generated is a module whose one function is generated from a text.
func generated() map[string]string {
	return map[string]string{
		"go.mod": sumModule()["go.mod"], "sum.go": "// Package sum adds up.\npackage sum\n\n//go:generate cp add.txt add.go\n", "add.txt": fineAdd,
	}
}

// A model starts a command that the user's settings name, in the scratch tree, and the files that it makes there are
// proposed like any other change.
func TestRunCommandTool_ProposesTheChangesOfACommand(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+writeTests+`
- match: {node: executor, contains: [You implement a change, "What begins with one of these may be run: go generate."]}
  reply: {json: {explanation: It is generated., actions: [{tool: run_command, args: {argv: [go, generate, -v, ./...]}}]}}
- match: {node: executor, contains: ["Result of run_command go generate", "exit code 0", "created add.go", "sum.go"]}
  reply: {json: {explanation: It is there., done: true}}`+reviewPass, generated())
	w.settings("tools: {commands: [[go, generate]]}\n")
	code, _, stderr := w.run("run", "--yes", "--trust", "--mode", "heavy", "add Add to package sum")
	require.Equal(t, 0, code, stderr)
	require.Equal(t, fineAdd, w.read("add.go"))
	w.played()
}

// A command that the user has not named does not start, one that they have named does not leave the tree, and no command changes
// what no edit may change.
func TestRunCommandTool_StaysWithinTheSettings(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+writeTests+`
- match: {node: executor, contains: [You implement a change]}
  reply:
    json:
      explanation: Let me try.
      actions:
        - {tool: run_command, args: {argv: [rm, -rf, .]}}
        - {tool: run_command, args: {argv: [cp, /etc/passwd, stolen.txt]}}
        - {tool: run_command, args: {argv: [cp, --target-directory=../.., add.txt]}}
        - {tool: run_command, args: {argv: [cp, etc/passwd, stolen.txt]}}
        - {tool: run_command, args: {argv: [cp, nothing.txt, x.txt]}}
        - {tool: run_command, args: {argv: [cp, add.txt, add_test.go]}}
- match:
    node: executor
    contains:
      - "rm -rf . is not among the commands that the user allows (tools.commands in their settings): go generate; cp"
      - "/etc/passwd leads out of the tree"
      - "--target-directory=../.. leads out of the tree"
      - "etc/passwd\" leads out of the tree by a link"
      - "exit code 1"
      - "add_test.go is a test file, and tests are frozen"
  reply: {json: {explanation: It adds., files: [`+uglyAdd+`], done: true}}`+reviewPass, generated())
	require.NoError(t, os.Symlink("/etc", filepath.Join(w.root, "etc")))
	w.settings("tools: {commands: [[go, generate], [cp]]}\n")
	code, _, stderr := w.run("run", "--yes", "--trust", "--mode", "heavy", "add Add to package sum")
	require.Equal(t, 0, code, stderr)
	require.NoFileExists(t, filepath.Join(w.root, "stolen.txt"))
	require.Contains(t, w.read("add_test.go"), "func TestAdd")
	require.Equal(t, fineAdd, w.read("add.go"))
	w.played()
}

// A command that the settings do not allow is refused without a question, and a folder's settings allow none.
func TestRunCommandTool_DisabledBySettings(t *testing.T) {
	t.Parallel()
	for name, folders := range testkit.SampleMap(1, map[string]string{"the settings allow none": "", "a folder allows it": "tools: {commands: [[go, generate]]}\n"}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := generated()
			files[".forge/config.yaml"] = folders
			w := scripted(t, decideExecutor+writeTests+`
- match: {node: executor, contains: [You implement a change]}
  reply: {json: {explanation: It is generated., actions: [{tool: run_command, args: {argv: [go, generate]}}]}}
- match: {node: executor, contains: ["commands are switched off: the user's settings name none in tools.commands"]}
  reply: {json: {explanation: It adds., files: [`+uglyAdd+`], done: true}}`+reviewPass, files)
			code, _, stderr := w.run("run", "--yes", "--trust", "--profile", "tooluse", "add Add to package sum")
			require.Equal(t, 0, code, stderr)
			require.NotContains(t, stderr, "Let the model use")
			w.played()
		})
	}
}

// Below heavy the user is asked about every command, and without an answer nothing starts.
func TestRunCommandTool_AsksBelowHeavy(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+writeTests+`
- match: {node: executor, contains: [You implement a change]}
  reply: {json: {explanation: It is generated., actions: [{tool: run_command, args: {argv: [go, generate]}}]}}`, generated())
	w.settings("tools: {commands: [[go, generate]]}\n")
	before := fingerprint(t, w.root)
	code, _, stderr := w.run("run", "--yes", "--trust", "--profile", "tooluse", "add Add to package sum")
	require.Equal(t, 3, code, stderr)
	require.Contains(t, stderr, "Let the model use run_command go generate?")
	require.Equal(t, before, fingerprint(t, w.root))
	w.played()
}
