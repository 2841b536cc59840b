package cli

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// In a terminal a yes to all of a change is followed by a question about each file that it does not cover.
func TestRun_TerminalAsksAboutAControlFile(t *testing.T) {
	t.Parallel()
	answers := map[string]bool{"y": true}
	if !testing.Short() {
		answers[""] = false // as in TestRun_YesDoesNotCoverControlFiles
	}
	for answer, applied := range answers {
		w := scripted(t, reviewPass, sumModule())
		w.put(map[string]string{"sum_test.go": passingTest})
		p := w.sit("run", "--trust", "--tool", "write_file", "--args", `{"path":"note.txt","content":"x\n"}`, "--tool", "write_file", "--args", `{"path":".vscode/tasks.json","content":"{}\n"}`)
		p.sees("check this first: .vscode/tasks.json: ")
		p.sees("Apply this change to 2 files?")
		p.sees("> ")
		p.types("1")
		p.sees("Apply .vscode/tasks.json too?")
		p.sees("when the folder is opened")
		p.sees("> ")
		p.types(answer)
		code, screen := p.leaves()
		require.Zero(t, code, screen)
		require.FileExists(t, filepath.Join(w.root, "note.txt"))
		if applied {
			require.Equal(t, "{}\n", w.read(".vscode/tasks.json"))
		} else {
			require.NoFileExists(t, filepath.Join(w.root, ".vscode", "tasks.json"))
		}
	}
}
