package pipeline

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/activity"
	"forge/engine/event"
	"forge/engine/gate"
)

// While a change is implemented, nothing may happen to a test: not by an edit, and not by a move.
func TestGuards_TestsAreFrozen(t *testing.T) {
	t.Parallel()
	patchOf := func(text string) string {
		return `explanation: i, patch: "*** Begin Patch\n` + text + `\n*** End Patch"`
	}
	for name, edit := range map[string]string{
		"edited":              patchOf(`*** Update File: b_test\n@@\n-two\n+one`),
		"written":             `explanation: i, files: [{path: b_test, action: write, content: one}]`,
		"replaced":            `explanation: i, edits: [{path: a_test, search: one, replace: o}]`,
		"deleted":             patchOf(`*** Delete File: b_test`),
		"an old one deleted":  `explanation: i, files: [{path: a_test, action: delete, content: ""}]`,
		"moved away":          patchOf(`*** Update File: b_test\n*** Move to: c\n@@\n-two\n+two two`),
		"made by a move":      patchOf(`*** Update File: a\n*** Move to: d_test\n@@\n-one\n+one one`),
		"a new one":           `explanation: i, files: [{path: c_test, action: create, content: one}]`,
		"named, all the same": `explanation: b_test must change, files: [{path: b_test, action: write, content: one}]`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+writeTests+reply(implementing, edit)+reply("tests are frozen while the change is implemented", putTwo)+reviewPass)
			result := e.run(t)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			require.NoError(t, e.script.Verify())
			require.Len(t, result.Changes.Files, 2)
			require.Equal(t, "one", e.tree.base["a_test"])
		})
	}
}

// An action that changes a frozen test goes back with its name, the place, and how to keep it away from there.
func TestGuards_ActionsNameTheFrozenPlace(t *testing.T) {
	t.Parallel()
	const explained = "\nreplace_all tw changes b_test:1: restrict it with \"paths\"\n\nGive the complete, corrected answer."
	e := newEpisode(t, decideExecutor+writeTests+reply(implementing, `explanation: i, actions: [{tool: replace_all, args: {find: tw, replace: t}}]`)+
		reply(implementing, putTwo)+reviewPass)
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.Contains(t, e.prompts("executor")[2], explained)
}

// The configuration of checks stays as it is, in every phase, unless the task names it.
func TestGuards_ChecksAreNotLoosened(t *testing.T) {
	t.Parallel()
	const loosened = `explanation: i, files: [{path: b, action: create, content: two}, {path: .eslintrc.json, action: create, content: "{}"}]`
	e := newEpisode(t, decideExecutor+writeTests+reply(implementing, loosened)+reply("configures how this project is checked", putTwo)+reviewPass)
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	require.Len(t, result.Changes.Files, 2)

	e = newEpisode(t, decideExecutor+writeTests+reply(implementing, loosened)+reviewPass)
	e.task.Text += ", and begin an .eslintrc.json"
	result = e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	require.Len(t, result.Changes.Files, 3, "the twin: the task names it")
}

func TestGuards_OnlyTestsAreWrittenInTheirPhase(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+
		reply("You write tests", `explanation: t, files: [{path: b_test, action: create, content: two}, {path: b, action: create, content: two}]`)+
		reply("b is not a test file", `explanation: t, files: [{path: b_test, action: create, content: two}]`)+writeRight+reviewPass)
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
}

const saysDone = `explanation: it is all there already, done: true`

// A model that says it is done and has changed nothing has not done it: the run is blocked, and says so.
func TestGuards_NoWorkIsNoSuccess(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+reply(implementing, saysDone)+reply("has changed nothing", saysDone)+reply(implementing, saysDone))
	result := e.run(t)
	require.Equal(t, event.Blocked, result.State)
	require.Contains(t, result.Reason, "the model says that the work is done, and has changed nothing: it is all there already")
	require.Len(t, e.finished("noop"), 3)
	require.Equal(t, gate.Fail, e.finished("noop")[0].Verdict)
	require.NoError(t, e.script.Verify())

	e = newEpisode(t, decideExecutor+writeTests+reply(implementing, saysDone)+writeRight+reviewPass)
	result = e.run(t)
	require.Equal(t, event.Succeeded, result.State, "the twin: another attempt that does the work is one")
	require.Len(t, e.finished("noop"), 1)
}

// Edits that undo each other are no work either.
func TestGuards_WorkThatUndoesItselfIsNone(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+
		reply(implementing, `explanation: i, files: [{path: a, action: write, content: x}]`)+
		reply("Turn 1 of", `explanation: back, files: [{path: a, action: write, content: one}], done: true`))
	e.task.Profile, e.env.Attempts = "tooluse", 1
	result := e.run(t)
	require.Equal(t, event.Blocked, result.State, result.Reason)
	require.Contains(t, result.Reason, "its changes cancel each other out")
}

// namedGate is testGate that reports which tests passed. skip has tests not be executed when the file "skip" names
// them.
func namedGate(skips bool) gateFunc {
	return gateFunc{"test", func(files map[string]string) gate.Report {
		run := maps.Clone(files)
		if skips {
			maps.DeleteFunc(run, func(path, _ string) bool {
				return strings.Contains(files["skip"], path) && strings.HasSuffix(path, "_test")
			})
		}
		r := testGate.run(run)
		for path := range run {
			failed := slices.ContainsFunc(r.Findings, func(f gate.Finding) bool { return f.Test == path })
			if strings.HasSuffix(path, "_test") && !failed {
				r.PassedTests = append(r.PassedTests, path)
			}
		}
		slices.Sort(r.PassedTests)
		return r
	}}
}

// A test that was seen red must be executed and pass in the end: keeping it from running is no way to pass, also where the number
// of tests does not fall.
func TestGuards_RedTestsMustPass(t *testing.T) {
	t.Parallel()
	const twoTests = `
- {match: {node: executor, contains: [You write tests]}, reply: {json: {explanation: t, files: [{path: b_test, action: create, content: two}, {path: c_test, action: create, content: three}]}}}`
	for name, c := range map[string]struct {
		implementation string
		state          event.State
		finding        string
	}{
		"all of them hold":    {`explanation: i, files: [{path: b, action: write, content: two}, {path: c, action: write, content: three}]`, event.Succeeded, ""},
		"one is not executed": {`explanation: i, files: [{path: b, action: write, content: two}, {path: skip, action: write, content: c_test}]`, event.Failed, "c_test was seen to fail before the change, and was not executed with it, or does not pass"},
		"none is executed":    {`explanation: i, files: [{path: skip, action: write, content: b_test c_test}]`, event.Failed, "no test passes now that did not pass before the change"},
		"an old one is not":   {`explanation: i, files: [{path: b, action: write, content: two}, {path: c, action: write, content: three}, {path: skip, action: write, content: a_test}]`, event.Failed, "a_test passed before the change, and is not executed any more"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+twoTests+reply(implementing, c.implementation)+reviewPass)
			e.env.Attempts = 1
			e.kit.Gate = func(string) gate.Gate { return namedGate(true) }
			result := e.run(t)
			require.Equal(t, c.state, result.State, result.Reason)
			held := e.finished("held")
			if c.finding == "" {
				require.Equal(t, gate.Pass, held[0].Verdict)
				require.Equal(t, 4, held[0].Executed, "two that were red, one that passed before, and that something is new")
				return
			}
			require.Equal(t, gate.Fail, held[0].Verdict)
			require.Contains(t, result.Reason, c.finding)
			require.Empty(t, e.prompts("review"), "no opinion is asked of what does not hold")
		})
	}
}

// Tests that fail already can be those of the task: then none are written, and one of them must pass in the end.
func TestGuards_ExistingFailingTestsMustPass(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a": "one", "a_test": "one", "b_test": "two", "c_test": "three"}
	for name, c := range map[string]struct {
		answer, finding string
		state           event.State
	}{
		"one is fixed":  {`explanation: i, files: [{path: b, action: write, content: two}]`, "", event.Succeeded},
		"none is fixed": {`explanation: i, files: [{path: b, action: write, content: six}]`, "no test passes now that did not pass before", event.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+reply("Some tests fail already", "explanation: b_test shows it, done: true")+reply(implementing, c.answer)+reviewPass)
			e.env.Attempts = 1
			e.kit.Trees = &activity.Trees{Open: func(context.Context, string) (activity.Tree, error) { return newTree(files), nil }}
			e.kit.Gate = func(string) gate.Gate { return namedGate(false) }
			result := e.run(t)
			require.Equal(t, c.state, result.State, result.Reason)
			require.Contains(t, result.Reason, c.finding)
		})
	}
	e := newEpisode(t, decideExecutor+reply("You write tests", "explanation: none needed, done: true")+reply("no test was written", `explanation: t, files: [{path: b_test, action: create, content: two}]`)+writeRight+reviewPass)
	require.Equal(t, event.Succeeded, e.run(t).State, "the twin: where none fails, one is written")
}
