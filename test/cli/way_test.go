package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
	"forge/internal/testkit"
)

// runList is what forge runs --json prints.
type runList api.RunsResult

// first is the id of the newest run, or nothing.
func (l runList) first() string {
	if len(l.Runs) == 0 {
		return ""
	}
	return l.Runs[0].RunID
}

// A domain selects the recipe if nothing else does: a question is answered, a review ends like forge review, and a named recipe
// wins.
func TestDomain_SelectsTheRecipe(t *testing.T) {
	t.Parallel()
	const answer = `
- {match: {node: answer}, reply: {text: "In **pay.go**."}}`
	for name, c := range map[string]struct {
		script, settings string
		args             []string
		code             int
		out              string
		work             string // in the list of runs
	}{
		"research":             {answer, "", []string{"--domain", "research", "where are shares made?"}, 0, "In **pay.go**.\n", "ask · balanced"},
		"research as set":      {answer, "domain: research\n", []string{"where are shares made?"}, 0, "In **pay.go**.\n", "ask · balanced"},
		"generic, a question":  {answer, "", []string{"--domain", "generic", "why is Share not rounded?"}, 0, "In **pay.go**.\n", "ask · balanced"},
		"words":                {answer, "", []string{"hello there"}, 0, "In **pay.go**.\n", "ask · balanced"},
		"code review":          {findZero, "", []string{"--domain", "code_review", "--file", "pay.go", "look at it"}, 1, "pay.go:4: error: people may be 0. (wrong-behaviour)\n", "review · audit"},
		"review with no issue": {findNothing, "", []string{"--domain", "code_review", "--file", "pay.go", "look at it"}, 0, "", "review · audit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, c.script, payments())
			require.NoError(t, os.WriteFile(filepath.Join(w.home, "config.yaml"), []byte(c.settings), 0o600))
			before := fingerprint(t, w.root)
			code, stdout, stderr := w.run(append([]string{"run", "--yes", "--trust", "--no-explore"}, c.args...)...)
			require.Equal(t, c.code, code, stderr)
			require.Equal(t, c.out, stdout)
			require.Equal(t, before, fingerprint(t, w.root))
			_, listed, _ := w.run("runs")
			require.Contains(t, listed, c.work)
			w.played()
		})
	}
}

// A recipe is what the domain says, and one that is named wins; unknown domains are named with those that there are.
func TestDomain_NamedRecipeWins(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+writeTests+implementIt+reviewPass, sumModule())
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--json", "--domain", "research", "--recipe", "implement", "add Add to package sum")
	require.Equal(t, 0, code, stderr)
	all, _ := events(t, stdout)
	var begun struct{ Recipe, Mode, Profile string }
	require.NoError(t, json.Unmarshal(all[0].Data, &begun))
	require.Equal(t, []string{"implement", "balanced", "tdd"}, []string{begun.Recipe, begun.Mode, begun.Profile})
	require.Equal(t, fineAdd, w.read("add.go"))
	w.played()

	code, _, stderr = w.run("run", "--domain", "poetry", "do something")
	require.Equal(t, 2, code)
	require.Contains(t, stderr, `--domain: there is no domain "poetry": choose code_generation, research, code_review, documentation or generic`)
}

// The flag sets the number of attempts, else the user's settings, else the folder's: never more than the user's.
func TestMaxAttempts_FlagThenUserThenFolder(t *testing.T) {
	t.Parallel()
	const wrong = decideExecutor + writeTests + `
- match: {node: executor, contains: [You implement a change]}
  reply: {json: {explanation: It multiplies., files: [{path: add.go, action: create, content: "package sum\n\n// Add adds.\nfunc Add(a, b int) int { return a*b + 1 }\n"}], patch: "", blocked: ""}}
- match: {node: executor, contains: [You implement a change, "Attempt 2"]}
  reply: {json: {explanation: It adds less., files: [{path: add.go, action: create, content: "package sum\n\n// Add adds.\nfunc Add(a, b int) int { return a + b - 1 }\n"}], patch: "", blocked: ""}}`
	for name, c := range testkit.SampleMap(0, map[string]struct {
		flags           []string
		user, folder    string
		attempts, tries int
		notice          string
	}{
		"the flag":              {[]string{"--max-attempts", "1"}, "attempts: 2\n", "", 1, 1, ""},
		"the settings":          {nil, "attempts: 1\n", "", 1, 1, ""},
		"the folder, less":      {nil, "", "attempts: 1\n", 1, 1, ""},
		"the folder, more":      {nil, "attempts: 1\n", "attempts: 5\n", 1, 1, "attempts: 5 is out of range: it can only be 1"},
		"the lanes of a graph":  {nil, "graph: {maxHops: 1}\n", "", 3, 2, ""},
		"a setting too far out": {[]string{"--max-attempts", "1"}, "attempts: 99\n", "", 1, 1, "attempts: 99 is out of range: give 1 to 20"},
	}, "the flag", "the folder, more", "the lanes of a graph") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, wrong, sumModule())
			require.NoError(t, os.WriteFile(filepath.Join(w.home, "config.yaml"), []byte(c.user), 0o600))
			if c.folder != "" {
				w.put(map[string]string{".forge/config.yaml": c.folder})
			}
			code, stdout, stderr := w.run(append([]string{"run", "--yes", "--trust", "--json", "--no-explore", "add Add to package sum"}, c.flags...)...)
			require.Equal(t, 3, code, stdout+stderr)
			all, last := events(t, stdout)
			require.Equal(t, c.attempts, graphOf(t, all).Attempts)
			require.Len(t, judged(t, all), c.tries)
			require.Zero(t, w.journal.requests("explorer"))
			if c.attempts > c.tries {
				require.Contains(t, last, "graph.maxHops")
			}
			if c.notice != "" {
				_, _, said := w.run("models")
				_, out, warned := w.run("doctor")
				require.Contains(t, said+out+warned, c.notice)
			}
		})
	}
	w := scripted(t, reviewPass, sumModule())
	code, _, stderr := w.run("run", "--max-attempts", "99", "add Add")
	require.Equal(t, 2, code)
	require.Contains(t, stderr, "--max-attempts: 99 is out of range: give 1 to 20")
}

// runGraph is the payload of the event graph.
type runGraph struct {
	Nodes    []api.Node
	Edges    []api.Edge
	Attempts int
}

// graphOf is the graph of a run.
func graphOf(t *testing.T, all []event) (g runGraph) {
	t.Helper()
	for _, e := range all {
		if e.Type == "graph" {
			require.NoError(t, json.Unmarshal(e.Data, &g))
		}
	}
	return g
}

// judged are the attempts of a run that were judged, in order.
func judged(t *testing.T, all []event) (attempts []api.AttemptJudged) {
	t.Helper()
	for _, e := range all {
		if e.Type == "attempt" {
			var a api.AttemptJudged
			require.NoError(t, json.Unmarshal(e.Data, &a))
			attempts = append(attempts, a)
		}
	}
	return attempts
}
