package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The flag ends the gates at the first one that fails; the next attempt sees that failure alone.
func TestFailFast_StopsAtTheFirstFailingGate(t *testing.T) {
	t.Parallel()
	broken := `
- match: {node: executor, contains: [You implement a change]}
  reply: {json: {explanation: It adds., files: [{path: add.go, action: create, content: "package sum\n\nimport \"fmt\"\n\n// Add adds.\nfunc Add(a, b int) int {\n\tfmt.Printf(\"%d\\n\", \"x\")\n\treturn a - b\n}\n"}]}}`
	cases := map[string]int{"stopAtFirst: true\n": 1}
	if !testing.Short() {
		cases[""] = 2 // the twin; most runs here execute all gates
	}
	for name, want := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, decideExecutor+writeTests+broken+writeRight+reviewPass, sumModule())
			w.settings(name)
			code, stdout, stderr := w.run("run", "--yes", "--trust", "--json", "add Add")
			require.Zero(t, code, stdout[max(0, len(stdout)-600):]+stderr)
			w.played()
			all, _ := events(t, stdout)
			ran := 0
			for _, said := range reports(t, all, "go test")[1:] { // the first is of the folder as it was
				if !strings.HasPrefix(said, "not-run: not run: go vet comes first") {
					ran++
				}
			}
			require.Equal(t, want, ran)
		})
	}
}

// Skills and instructions come from the folders that the user's settings name.
func TestGuides_ReadFromConfiguredFolders(t *testing.T) {
	t.Parallel()
	files := sumModule()
	files["GEMINI.md"], files["AGENTS.md"] = "Sums are made with care.\n", "This is not asked for.\n"
	w := scripted(t, decideExecutor, files)
	mine := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(mine, "adding"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(mine, "adding", "SKILL.md"), []byte("---\nname: adding\ndescription: how to add\ncategory: code\n---\nCarry the one.\n"), 0o600))
	w.settings("skills: [" + mine + "]\ninstructions: [GEMINI.md]\n")
	code, stdout, stderr := w.run("prompt", "--dry-run", "--trust", "--node", "executor", "add Add")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "Sums are made with care.")
	require.Contains(t, stdout, "Carry the one.")
	require.NotRegexp(t, `guides +AGENTS.md`, stdout)
	code, stdout, stderr = w.run("skills")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "adding")
}
