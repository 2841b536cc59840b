package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// Asking what else must be read is asking a model: each round is one of the exchanges that a run may have.
func TestExplorer_RoundsCountAsSteps(t *testing.T) {
	t.Parallel()
	for name, c := range testkit.SampleMap(1, map[string]struct {
		steps  int
		code   int
		rounds int
		says   string
	}{
		"two rounds too few":    {steps: 3, code: 3, rounds: 2, says: "the run has had all 3 exchanges with models that it may have (limits.steps)"},
		"the twin: just enough": {steps: 7, code: 0, rounds: 3},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, decideExecutor+`
- {match: {node: explorer, contains: [This is round 1 of at most 9]}, reply: {json: {requests: [{provider: read_file, args: {path: sum.go}, why: style}]}}}
- {match: {node: explorer, contains: [This is round 2 of at most 9]}, reply: {json: {requests: [{provider: read_file, args: {path: go.mod}, why: version}]}}}
- {match: {node: explorer, contains: [This is round 3 of at most 9]}, reply: {json: {requests: []}}}`+
				writeTests+writeRight+reviewPass, tooMuchToShow())
			settings := fmt.Sprintf("limits: {steps: %d}\nexplore: {rounds: 9}\n", c.steps)
			require.NoError(t, os.WriteFile(filepath.Join(w.home, "config.yaml"), []byte(settings), 0o600))
			code, stdout, stderr := w.run("run", "--yes", "--trust", "improve everything")
			require.Equal(t, c.code, code, stdout+stderr)
			require.Contains(t, stdout+stderr, c.says)
			require.Equal(t, c.rounds, w.journal.requests("explorer"), w.journal)
			if c.code == 0 {
				w.played()
			}
		})
	}
}

// tooMuchToShow is the module of the scripts beside notes that no model is shown in full.
func tooMuchToShow() map[string]string {
	files := sumModule()
	files["notes.txt"] = strings.Repeat("nothing of interest here\n", 2000)
	return files
}

// TestRun_SkipsExplorationWhenNamedFilesExist: no call of a model asks what else must be read, and the first prompts have it.
func TestRun_SkipsExplorationWhenNamedFilesExist(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+writeTests+writeRight+reviewPass, tooMuchToShow())
	code, stdout, stderr := w.run("run", "--yes", "--trust", "add Add to package sum, beside what sum.go has")
	require.Zero(t, code, stdout+stderr)
	require.Zero(t, w.journal.requests("explorer"), w.journal)
	w.played()
}

// By default a model may look at more in two rounds. The second request continues the first one, so that caches of prompts hold, and none has the
// text of a long file that it did not request.
func TestExplorer_HasTwoRoundsByDefault(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+`
- {match: {node: explorer, contains: [This is round 1 of at most 2]}, reply: {json: {requests: [{provider: read_file, args: {path: sum.go}, why: style}]}}}
- {match: {node: explorer, contains: [This is round 2 of at most 2, "Package sum adds up."]}, reply: {json: {requests: [{provider: read_file, args: {path: go.mod}, why: version}]}}}`+
		writeTests+writeRight+reviewPass, tooMuchToShow())
	wire := w.tap()
	code, stdout, stderr := w.run("run", "--yes", "--trust", "improve everything")
	require.Zero(t, code, stdout+stderr)
	w.played()
	first, second := wire.requests()[1], wire.requests()[2]
	before, _, found := strings.Cut(first, "## Rounds")
	require.True(t, found, first)
	require.True(t, strings.HasPrefix(second, before), second)
	require.Less(t, len(first), 6_000)
	require.Less(t, len(second), len(first)+500)
	require.Contains(t, wire.requests()[3], "module example.com/sum", "what the last round asked for is shown")
}
