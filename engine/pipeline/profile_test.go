package pipeline

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/engine/activity"
	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/mode"
	"forge/engine/pipeline/work"
	"forge/engine/tool"
)

// reply is one entry of a script: what the executor's model says next, as YAML.
func reply(contains, json string) string {
	return fmt.Sprintf("\n- {match: {node: executor, contains: [%q]}, reply: {json: {%s}}}", contains, json)
}

const (
	implementing = "You implement"
	putTwo       = `explanation: i, files: [{path: b, action: write, content: two}]`
)

// inMode has the run work in a mode.
func (e *episode) inMode(t *testing.T, name mode.Name) {
	t.Helper()
	m, err := mode.Lookup(string(name))
	require.NoError(t, err)
	e.task.Mode = m
}

// finished are the reports of a gate in the events, in order.
func (e *episode) finished(name string) (reports []gate.Report) {
	for _, ev := range e.log.Since(0) {
		if f, is := ev.Data.(event.GateFinished); is && f.Report.Gate == name {
			reports = append(reports, f.Report)
		}
	}
	return reports
}

// The profile completion asks once, and for no tests.
func TestProfile_CompletionIsOneCall(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+reply(implementing, putTwo)+reviewPass)
	e.task.Profile = mode.Completion
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.Len(t, e.prompts("executor"), 1)
	require.Empty(t, e.finished("red"))
	require.NoError(t, e.script.Verify())
}

// All ways to write an edit go through one answer.
func TestProfile_EachWayToWriteAnEdit(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]string{
		"whole file":         `files: [{path: a, action: write, content: one two}]`,
		"search and replace": `edits: [{path: a, search: one, replace: one two}]`,
		"V4A":                `patch: "*** Begin Patch\n*** Update File: a\n@@\n-one\n+one two\n*** End Patch"`,
		"unified diff":       `patch: "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+one two\n"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+reply(implementing, "explanation: i, "+edit)+reviewPass)
			e.task.Profile = mode.Completion
			result := e.run(t)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			require.Equal(t, "one two", result.Changes.Files[0].After)
		})
	}
}

// An answer that violates the rules goes back as a repair, with its reason.
func TestProfile_AnswerThatCannotBeMeantIsRepaired(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ answer, why string }{
		"a path in two lists":             {`explanation: i, files: [{path: a, action: write, content: x}], edits: [{path: a, search: one, replace: y}]`, "a is changed twice in one answer"},
		"nothing at all":                  {`explanation: i`, "the answer changes nothing"},
		"a search text that is nowhere":   {`explanation: i, edits: [{path: a, search: seven, replace: y}]`, "a"},
		"actions where there are none":    {`explanation: i, actions: [{tool: read_file, args: {path: a}}]`, "cannot be taken here"},
		"edits and requests":              {putTwo + `, requests: [{tool: read_file, args: {path: a}}]`, "ask first"},
		"what is no action":               {`explanation: i, files: [{path: b, action: burn, content: x}]`, "burn"},
		"a test that is there is emptied": {`explanation: i, files: [{path: a_test, action: write, content: x}]`, "a_test has existing tests"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+reply(implementing, c.answer)+reply("What is wrong with that answer", putTwo)+reviewPass)
			e.task.Profile = mode.Completion
			result := e.run(t)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			prompts := e.prompts("executor")
			require.Len(t, prompts, 2)
			require.Contains(t, prompts[1], c.why)
			require.Equal(t, "one", e.tree.base["a_test"])
		})
	}
}

// A model that must see more first is shown it, a bounded number of times, and nothing that changes anything.
func TestProfile_RequestsAreAnsweredBeforeTheEdit(t *testing.T) {
	t.Parallel()
	ask := func(tool, args string) string {
		return reply(implementing, "explanation: let me see, requests: [{tool: "+tool+", args: {"+args+"}}]")
	}
	e := newEpisode(t, decideExecutor+ask("read_file", "path: a")+ask("write_file", "path: z, content: z")+ask("nonsense", "path: a")+reply("You have seen everything available", putTwo)+reviewPass)
	e.task.Profile = mode.Completion
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	prompts := e.prompts("executor")
	require.Len(t, prompts, 4)
	require.Contains(t, prompts[1], "What you asked for: read_file a")
	require.Contains(t, prompts[1], "one")
	require.Contains(t, prompts[2], "write_file may not be used here")
	require.Contains(t, prompts[3], `there is no "nonsense" here`)
	for i := range prompts[1:] {
		require.True(t, strings.HasPrefix(prompts[i+1], strings.TrimRight(prompts[i], "\n")), "a document only grows")
	}
	require.Len(t, result.Changes.Files, 1)
}

// A model that asks once more than it may is told so, and has changed nothing yet: neither tests nor the implementation end with that answer.
func TestProfile_AFourthRequestIsNoAnswer(t *testing.T) {
	t.Parallel()
	ask := func(contains string, n int) string {
		return reply(contains, fmt.Sprintf("explanation: let me see, requests: [{tool: read_file, args: {path: a, start: %d}}]", n))
	}
	asks := func(contains string) string {
		return ask(contains, 1) + ask(contains, 2) + ask(contains, 3) + ask("You have seen everything available", 4)
	}
	const tests = `explanation: t, files: [{path: b_test, action: create, content: two}]`
	for name, script := range map[string]string{
		"tests":          asks("You write tests") + reply("no more tools are called", tests) + reply(implementing, putTwo),
		"implementation": reply("You write tests", tests) + asks(implementing) + reply("no more tools are called", putTwo),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+script+reviewPass)
			result := e.run(t)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			require.NoError(t, e.script.Verify())
			require.Equal(t, "two", texts(result)["b_test"])
			require.Empty(t, e.finished("noop"))
		})
	}
}

// Edits that undo a replacement of the same answer write no test.
func TestProfile_TestsThatUndoThemselvesAreNone(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+
		reply("You write tests", `explanation: t, actions: [{tool: replace_all, args: {find: one, replace: uno, paths: [a_test]}}], edits: [{path: a_test, search: uno, replace: one}]`)+
		reply("no test was written", `explanation: t, files: [{path: b_test, action: create, content: two}]`)+writeRight+reviewPass)
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
}

// In turns, a model that does nothing learns where it may ask: its answer has no "requests".
func TestToolUse_NothingIsAskedForInActions(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+reply(implementing, "explanation: hm")+reply(`say in "actions" what you must see first`, putTwo+", done: true")+reviewPass)
	e.task.Profile, e.task.NoTests = mode.ToolUse, true
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
}

const turnOne = `explanation: first, actions: [{tool: write_file, args: {path: b, content: tw}}, {tool: read_file, args: {path: b}}]`

// The profile tooluse: turns with actions, each document the one before and more; the tests come first all the same.
func TestToolUse_WorksInTurns(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+
		reply(implementing, turnOne)+
		reply("Result of read_file b", `explanation: second, edits: [{path: b, search: tw, replace: two}], done: true`)+reviewPass)
	e.task.Profile = mode.ToolUse
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	prompts := e.prompts("executor")
	require.Len(t, prompts, 3, "tests, and two turns")
	require.Contains(t, prompts[1], "- write_file(path, content?)")
	require.Contains(t, prompts[2], "Turn 1 of 4")
	require.True(t, strings.HasPrefix(prompts[2], strings.TrimRight(prompts[1], "\n")), "the prefix is the same bytes")
	require.Len(t, e.finished("red"), 1)
	require.Equal(t, "two", result.Changes.Files[0].After)
	require.Equal(t, "second", result.Explanation)
	var used []string
	for _, ev := range e.log.Since(0) {
		if u, is := ev.Data.(event.ToolUsed); is {
			used = append(used, u.Node+": "+u.Tool)
		}
	}
	require.Equal(t, []string{"executor: write_file", "executor: read_file"}, used, "people see what a model does")
}

// The explanation of a change is that of its edits, and not that of a later turn in which nothing is left to do.
func TestToolUse_ExplainsTheEdits(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+reply(implementing, `explanation: "It writes\n two.", edits: [], files: [{path: b, action: write, content: two}]`)+
		reply("It writes", `explanation: Nothing is left., done: true`)+reviewPass)
	e.task.Profile = mode.ToolUse
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	require.Equal(t, "It writes two.", result.Explanation)
}

// Replayed, a run by turns asks no model and has the same result.
func TestToolUse_IsPlayedAgain(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+reply(implementing, turnOne)+
		reply("Result of read_file b", `explanation: second, edits: [{path: b, search: tw, replace: two}], done: true`)+reviewPass)
	e.task.Profile = mode.ToolUse
	first := e.run(t)
	require.Equal(t, event.Succeeded, first.State, first.Reason)
	require.Equal(t, first, e.again(t))
	require.Empty(t, e.flow.Performed())
}

// How turns end that the model does not end well.
func TestToolUse_TurnsEnd(t *testing.T) {
	t.Parallel()
	look := func(path string) string {
		return reply(implementing, "explanation: I look, actions: [{tool: read_file, args: {path: "+path+"}}]")
	}
	for name, c := range map[string]struct {
		script string
		state  event.State
		reason string
		calls  int // of the executor, beside the one for tests
	}{
		"used up after productive work": {reply(implementing, putTwo) + look("a"), event.Succeeded, "", 2},
		"used up without a change":      {look("a") + look("a_test"), event.Failed, "all 2 turns of the mode fast were used up, and nothing was changed", 2},
		"the same three times": {reply(implementing, "explanation: i, actions: [{tool: read_file, args: {path: a}}, {tool: read_file, args: {path: a}}, {tool: read_file, args: {path: a}}]"),
			event.Failed, "went round in circles: read_file a had the same result 3 times", 1},
		"the same three times, after work": {reply(implementing, putTwo+", actions: [{tool: read_file, args: {path: a}}, {tool: read_file, args: {path: a}}, {tool: read_file, args: {path: a}}]"),
			event.Succeeded, "", 1},
		"the twin: twice is no circle": {reply(implementing, "explanation: i, actions: [{tool: read_file, args: {path: a}}, {tool: read_file, args: {path: a}}]") + reply(implementing, putTwo+", done: true"),
			event.Succeeded, "", 2},
		"blocked": {reply(implementing, `explanation: "", blocked: no key`), event.Blocked, "no key", 1},
		"wedged":  {reply(implementing, `explanation: "", requests: []`), event.Failed, "changes nothing", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+writeTests+c.script+reviewPass)
			e.task.Profile, e.env.Attempts = mode.ToolUse, 1
			e.inMode(t, mode.Fast)
			if name == "wedged" {
				e.script = nil
				e = newEpisode(t, decideExecutor+writeTests+strings.Replace(c.script, "reply:", "times: 2, reply:", 1)+reviewPass)
				e.task.Profile, e.env.Attempts = mode.ToolUse, 1
				c.calls = 2 // the call, and a repair that is the same
			}
			result := e.run(t)
			require.Equal(t, c.state, result.State, result.Reason)
			require.Contains(t, result.Reason, c.reason)
			require.Len(t, e.prompts("executor"), 1+c.calls)
			if c.state == event.Succeeded && strings.HasPrefix(name, "used up") {
				require.Contains(t, e.finished("turns")[0].Summary, "the gates decide")
			}
		})
	}
}

// A turn's changes pass the same guards as everything else: tests stay frozen.
func TestToolUse_CannotTouchFrozenTests(t *testing.T) {
	t.Parallel()
	for name, action := range map[string]string{
		"written":      `{tool: write_file, args: {path: b_test, content: one}}`,
		"deleted":      `{tool: delete_file, args: {path: b_test}}`,
		"moved":        `{tool: move_file, args: {path: b_test, to: c}}`,
		"made by move": `{tool: move_file, args: {path: a, to: c_test}}`,
		"patched":      `{tool: apply_patch, args: {patch: "*** Begin Patch\n*** Update File: a_test\n@@\n-one\n+o\n*** End Patch"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+writeTests+
				reply(implementing, "explanation: i, actions: ["+action+"]")+reply("tests are frozen", putTwo+", done: true")+reviewPass)
			e.task.Profile = mode.ToolUse
			result := e.run(t)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			require.NoError(t, e.script.Verify())
			require.Len(t, result.Changes.Files, 2)
		})
	}
}

// A tool that is riskier than its mode needs the user, and no answer is no.
func TestToolUse_RiskyToolIsAskedAbout(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		mode   mode.Name
		choice string
		asked  bool
		says   string
	}{
		"not in this mode":           {mode.Fast, "deny", true, "the user does not allow it"},
		"the user allows it":         {mode.Fast, "allow", true, "Result of run_command"},
		"the twin: the mode uses it": {mode.Heavy, "deny", false, "Result of run_command"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+writeTests+
				reply(implementing, "explanation: i, actions: [{tool: run_command, args: {argv: [make]}}]")+reply("Turn 1 of", putTwo+", done: true")+reviewPass)
			e.task.Profile, e.env.Grants = mode.ToolUse, tool.Grants{Commands: [][]string{{"make"}}}
			e.inMode(t, c.mode)
			asked := false
			e.kit.Asker = event.AskerFunc(func(_ context.Context, q event.Question) (event.Answer, error) {
				asked = true
				require.Equal(t, "deny", q.Default)
				return event.Answer{Choice: c.choice}, nil
			})
			result := e.run(t)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			require.Equal(t, c.asked, asked)
			require.Contains(t, e.prompts("executor")[2], c.says)
		})
	}
}

// Tools have a budget per run: when it is used up the model is asked to finish.
func TestToolUse_CallsAreBounded(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+
		reply(implementing, "explanation: i, actions: [{tool: read_file, args: {path: a}}, {tool: list_dir, args: {}}, {tool: read_file, args: {path: a_test}}]")+
		reply("all 2 calls of tools that a run has are used up", putTwo+", done: true")+reviewPass)
	e.task.Profile, e.env.ToolCalls = mode.ToolUse, 2
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NotContains(t, e.prompts("executor")[2], "read_file a_test")
}

// Work whose tools are decided already asks no model for an implementation.
func TestProfile_DirectToolsTakeNoTurn(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, reviewPass)
	e.task.Profile = mode.Completion
	e.task.Direct = []work.Action{{Tool: "write_file", Args: []byte(`{"path": "b", "content": "two"}`)}}
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.Empty(t, e.prompts("executor"))
	require.Equal(t, "two", result.Changes.Files[0].After)

	e = newEpisode(t, reviewPass)
	e.task.Profile = mode.Completion
	e.task.Direct = []work.Action{{Tool: "delete_file", Args: []byte(`{"path": "nowhere"}`)}}
	result = e.run(t)
	require.Equal(t, event.Blocked, result.State, "the twin: a tool that could not do it is no success")
	require.Contains(t, result.Reason, "nowhere")
}

// parens finds a fault in each text that has "(" and no ")".
type parens struct{}

func (parens) Faults(_ context.Context, _ codeintel.Language, source string) (faults []codeintel.Fault, err error) {
	if at := strings.Index(source, "("); at >= 0 && !strings.Contains(source, ")") {
		faults = append(faults, codeintel.Fault{Span: codeintel.Span{Start: at, End: at + 1}, Message: "never closed"})
	}
	return faults, nil
}

// A syntax error goes back before any gate runs, as often as the mode wants, and in addition to its turns: a model that reports
// done with its last turn receives it, too.
func TestProfile_SyntaxGoesBackBeforeAnyGate(t *testing.T) {
	t.Parallel()
	const broken, whole = `explanation: i, files: [{path: b, action: write, content: "two ("}], done: true`, `explanation: i, files: [{path: b, action: write, content: "two ()"}], done: true`
	for name, c := range map[string]struct {
		profile mode.Profile
		mode    mode.Name
		answers []string
		after   string
	}{
		"completion":                  {mode.Completion, mode.Balanced, []string{broken, whole}, "two ()"},
		"completion in a hurry":       {mode.Completion, mode.Fast, []string{broken}, "two ("},
		"completion that insists":     {mode.Completion, mode.Balanced, []string{broken, broken}, "two ("},
		"turns":                       {mode.ToolUse, mode.Balanced, []string{broken, whole}, "two ()"},
		"turns, done on the last one": {mode.ToolUse, mode.OfflineSafe, []string{`explanation: a, actions: [{tool: list_dir, args: {}}]`, `explanation: a, actions: [{tool: read_file, args: {path: a}}]`, broken, whole}, "two ()"},
		"turns that insist":           {mode.ToolUse, mode.Balanced, []string{broken, strings.Replace(broken, "two", "two two", 1)}, "two two ("},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := decideExecutor + writeTests
			if c.profile == mode.Completion {
				script = decideExecutor
			}
			for _, a := range c.answers {
				script += reply(implementing, a)
			}
			e := newEpisode(t, script+reviewPass)
			e.task.Profile = c.profile
			e.inMode(t, c.mode)
			e.kit.Checker = parens{}
			result := e.run(t)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			require.NoError(t, e.script.Verify())
			require.Equal(t, c.after, result.Changes.Files[0].After)
			prompts := e.prompts("executor")
			if last := prompts[len(prompts)-1]; c.after == "two ()" {
				require.Contains(t, last, "never closed: two (")
			}
		})
	}
}

// An edit is not charged with syntax errors from before.
func TestProfile_SyntaxOfTheBaseIsNotCharged(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a": "one (", "a_test": "one"}
	e := newEpisode(t, decideExecutor+reply(implementing, `explanation: i, files: [{path: a, action: write, content: "one two ("}]`)+reviewPass)
	e.tree.base, e.tree.files = files, files
	e.kit.Trees = &activity.Trees{Open: func(context.Context, string) (activity.Tree, error) { return newTree(files), nil }}
	e.task.Profile = mode.Completion
	e.kit.Checker = parens{}
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.Empty(t, e.finished("syntax"))
}

// A model's files are formatted before the gates look at them, and the user sees that.
func TestProfile_WrittenFilesAreFormatted(t *testing.T) {
	t.Parallel()
	shouting := func(keep bool) *episode {
		e := newEpisode(t, decideExecutor+writeTests+reply(implementing, `explanation: i, files: [{path: b, action: write, content: " two "}, {path: c, action: write, content: fine}]`)+reviewPass)
		e.kit.Format = func(_ context.Context, tree activity.Tree, paths []string) error {
			m := tree.(*memoryTree)
			for _, p := range paths {
				m.files[p] = strings.TrimSpace(m.files[p])
			}
			m.files["litter"] = "x"
			return nil
		}
		e.task.KeepFormat = keep
		return e
	}
	e := shouting(false)
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.Equal(t, "two", result.Changes.Files[0].After)
	require.Len(t, result.Changes.Files, 3, "what the formatter left beside it is no part of the change")
	require.Equal(t, "formatted b", e.finished("format")[0].Summary)

	e = shouting(true)
	result = e.run(t)
	require.Equal(t, " two ", result.Changes.Files[0].After, "the twin: who wants no formatting has none")
	require.Empty(t, e.finished("format"))
}

// A mode that changes nothing has no executor to change anything with, whatever the recipe says.
func TestProfile_ModeWithoutMutationsOnlyAnswers(t *testing.T) {
	t.Parallel()
	for _, name := range []mode.Name{mode.Plan, mode.Audit} {
		t.Run(string(name), func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, `
- {match: {node: answer}, reply: {text: "Write two into b."}}`)
			e.inMode(t, name)
			e.task.Profile = mode.ToolUse
			e.task.Direct = []work.Action{{Tool: "write_file", Args: []byte(`{"path": "b", "content": "two"}`)}}
			result := e.run(t)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			require.Empty(t, result.Changes.Files)
			require.Equal(t, startingTree(), e.tree.files)
			require.Empty(t, e.prompts("executor"))
			require.Contains(t, e.prompts("answer")[0], "Nothing may be changed.")
		})
	}
}

// Every prompt of a run names its mode, before the parts that change from one call to the next.
func TestProfile_EveryPromptNamesTheMode(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideSpec+writeSpec+writeTests+writeRight+reviewPass)
	e.inMode(t, mode.Architect)
	require.Equal(t, event.Succeeded, e.run(t).State)
	for _, node := range []string{"orchestrator", "spec", "executor", "review"} {
		for _, p := range e.prompts(node) {
			require.Contains(t, p, e.task.Mode.Layer, node)
			require.Less(t, strings.Index(p, e.task.Mode.Layer), strings.Index(p, e.task.Text), node)
		}
	}
}

// A run may have only so many exchanges with models, and says so; tried again it may have as many more.
func TestProfile_StepsAreBounded(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+writeWrong+writeRight+reviewPass)
	e.env.Steps = 3
	result := e.run(t)
	require.Equal(t, event.Blocked, result.State)
	require.Contains(t, result.Reason, "all 3 exchanges with models that it may have (limits.steps)")
	require.Len(t, e.script.Requests(), 3)

	e.env.Retries = []work.Retry{result.Retry}
	result = e.again(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
}
