package pipeline

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/activity"
	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/pipeline/work"
)

// writingB is an implementation that writes a text into b.
func writingB(text string) string {
	return fmt.Sprintf(`
- {match: {node: executor, contains: [You implement]}, reply: {json: {explanation: i, files: [{path: b, action: write, content: %q}], patch: "", blocked: ""}}}`, text)
}

// strategy is a debugger's answer with a strategy.
func strategy(text string) string {
	return fmt.Sprintf(`
- {match: {node: debugger}, reply: {json: {rootCause: c, hypotheses: [], fix: mend it, mustRead: [], strategy: %q}}}`, text)
}

// says is a gate that fails with a message while a file has a word in it.
func says(name, path, word, message string) gateFunc {
	return gateFunc{name, func(files map[string]string) gate.Report {
		r := gate.Report{Verdict: gate.Pass, Executed: 1, Passed: 1, Summary: "fine"}
		if strings.Contains(files[path], word) {
			r.Verdict, r.Passed, r.Summary = gate.Fail, 0, "it fails"
			r.Findings = []gate.Finding{{Path: path, Line: 1, Severity: gate.SeverityError, Message: message}}
		}
		return r
	}}
}

// placed is a gate that says the same of another path; an empty one is none.
func placed(path string, g gateFunc) gateFunc {
	return gateFunc{g.name, func(files map[string]string) gate.Report {
		r := g.run(files)
		for i := range r.Findings {
			r.Findings[i].Path = path
		}
		return r
	}}
}

// events are those of a type, in order.
func events[T event.Data](e *episode) (all []T) {
	for _, ev := range e.log.Since(0) {
		if d, is := ev.Data.(T); is {
			all = append(all, d)
		}
	}
	return all
}

// An edit that failed is judged again when it comes again; where it fails again the run ends, with what is true and with the edit.
func TestDiagnosis_SameWrongEditEndsTheRun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		state  event.State
		reason string
		calls  int
	}{
		"for ever":          {writeWrong + writeWrong, event.Blocked, "attempt 2 makes the change of attempt 1 again, and it fails again", 3},
		"A and B alternate": {writeWrong + writeWrongly + debugged + writeWrong, event.Failed, "gave up after 3 attempts", 4},
		"twin: a new one":   {writeWrong + writeRight + reviewPass, event.Succeeded, "", 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+writeTests+c.script)
			result := e.run(t)
			require.Equal(t, c.state, result.State, result.Reason)
			require.Contains(t, result.Reason, c.reason)
			if c.state != event.Succeeded {
				require.Contains(t, result.Reason, "want two in b", "the true reason")
				require.NotEmpty(t, result.Unverified)
			}
			require.Len(t, e.prompts("executor"), c.calls)
			require.NoError(t, e.script.Verify())
			require.Equal(t, result, e.again(t))
		})
	}
}

// A gate that broke finds nothing wrong with an edit: the same one may be made again.
func TestDiagnosis_EditIsNotBlamedForAGateThatBroke(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+writeRight+writeRight+reviewPass)
	times := 0
	e.check(gateFunc{"lint", func(files map[string]string) gate.Report {
		if files["b"] == "" {
			return gate.Report{Verdict: gate.Pass, Executed: 1, Passed: 1}
		}
		if times++; times == 1 {
			return gate.Report{Verdict: gate.Error, Summary: "it crashed"}
		}
		return gate.Report{Verdict: gate.Pass, Executed: 1, Passed: 1}
	}})
	require.Equal(t, event.Succeeded, e.run(t).State)
}

// An obstacle that no edit removes ends the run after a second attempt, with what would help. Text in a place that an
// edit changed is no obstacle.
func TestDiagnosis_ObstacleEndsTheRun(t *testing.T) {
	t.Parallel()
	const refused = "dial tcp 127.0.0.1:5432: connect: connection refused"
	twice := writingB("two later") + writingB("two, later")
	for name, c := range map[string]struct {
		message, task, path string
		script              string
		state               event.State
	}{
		"a service":                   {refused, "put two into b", "", twice, event.Blocked},
		"twin: in the change":         {refused, "put two into b", "b", twice + debugged + writeRight + reviewPass, event.Succeeded},
		"twin: gone the second time":  {refused, "put two into b", "", writingB("two later") + writeRight + reviewPass, event.Succeeded},
		"twin: something else":        {"want later, got two", "put two into b", "", writingB("two later") + writeRight + reviewPass, event.Succeeded},
		"twin: it was asked about it": {refused, "say connection refused when b is down", "", writingB("two later") + writeRight + reviewPass, event.Succeeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+writeTests+c.script)
			e.task.Text = c.task
			e.check(placed(c.path, says("lint", "b", "later", c.message)))
			result := e.run(t)
			require.Equal(t, c.state, result.State, result.Reason)
			require.NoError(t, e.script.Verify())
			if c.state == event.Blocked {
				require.Contains(t, result.Reason, "Blocked: there is a service that does not answer in the way")
				require.Contains(t, result.Reason, "start the service")
				require.Len(t, e.prompts("executor"), 3, "there is no third attempt")
				require.Equal(t, "blocked", events[event.Diagnosed](e)[0].Class)
				require.NotEmpty(t, result.Unverified)
			}
		})
	}
}

// A reviewer's remark is no obstacle.
func TestDiagnosis_ReviewerIsNoObstacle(t *testing.T) {
	t.Parallel()
	opinion := "\n- {match: {node: review}, reply: {json: {pass: false, reason: connection refused is swallowed, issues: [{path: b, startLine: 1, endLine: 1, severity: error, category: bug, message: connection refused is swallowed}]}}}"
	e := newEpisode(t, decideExecutor+writeTests+writeRight+opinion+writeOther+reviewPass)
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.Contains(t, e.prompts("executor")[2], "b:1: connection refused is swallowed")
	require.NoError(t, e.script.Verify())
}

// The user who removed what was in the way has the run go on.
func TestDiagnosis_BlockedRunContinues(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+writingB("two later")+writingB("two, later")+debugged+writeRight+reviewPass)
	e.check(placed("", says("lint", "b", "later", "connection refused")))
	result := e.run(t)
	require.Equal(t, event.Blocked, result.State)
	e.env.Retries = []work.Retry{result.Retry}
	require.Equal(t, event.Succeeded, e.again(t).State)
}

// A failure names an unread file: the next attempt is shown it.
func TestDiagnosis_UnreadFileIsRead(t *testing.T) {
	t.Parallel()
	for name, named := range map[string]bool{"named": true, "twin: not named": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const secret = "the rates are 7 and 19"
			message := "rates.txt:3: no such rate"
			script := writingB("two later") + debugged + writeRight + reviewPass
			if !named {
				message, script = "no such rate", writingB("two later")+writeRight+reviewPass
			}
			e := newEpisode(t, decideExecutor+writeTests+script)
			e.large("tax/rates.txt", secret)
			e.check(says("lint", "b", "later", message))
			result := e.run(t)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			prompts := e.prompts("executor")
			require.NotContains(t, prompts[1], secret)
			require.Equal(t, named, strings.Contains(prompts[2], secret))
			require.Equal(t, named, slices.Contains(events[event.Diagnosed](e)[0].MustRead, "tax/rates.txt"))
		})
	}
}

// large makes the folder one that is too large to be shown whole, with a file that has nothing to do with the task.
func (e *episode) large(path, text string) {
	files := maps.Clone(startingTree())
	files[path], files["filler"] = text, strings.Repeat("nothing of interest\n", 2000)
	e.env.Rounds = -1
	e.kit.Trees.Open = func(context.Context, string) (activity.Tree, error) { return newTree(files), nil }
}

// The debugger is asked where the rules found something and before the last attempt, and its answer is in the next prompt.
func TestDiagnosis_DebuggerIsAskedWhenItMayHelp(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+writeWrong+writeWrongly+debugged+writeRight+reviewPass)
	require.Equal(t, event.Succeeded, e.run(t).State)
	require.NoError(t, e.script.Verify())
	asked := e.prompts("debugger")
	require.Len(t, asked, 1)
	for _, part := range []string{"Earlier attempts", "Attempt 1 changed b", "Attempt 2 changed b", "stuck: the failures are those of the previous attempt", "oops again", "want two in b"} {
		require.Contains(t, asked[0], part)
	}
	prompts := e.prompts("executor")
	require.Contains(t, prompts[3], "Root cause: the text is misspelled")
	require.NotContains(t, prompts[2], "Root cause", "the twin: it was not asked before the second attempt")
	told := events[event.Diagnosed](e)
	require.Equal(t, []string{"", "stuck"}, []string{told[0].Class, told[1].Class})
	require.Equal(t, "copy the text of the test", told[1].Strategy)
}

// A strategy that failed is refused once; a debugger that knows no other ends the run. Weaker tests are no fix.
func TestDiagnosis_DebuggerMustChangeItsStrategy(t *testing.T) {
	t.Parallel()
	start := decideExecutor + writeTests + writeWrong + writeWrongly + strategy("write the text with a loop") + writingB("drift two")
	for name, c := range map[string]struct {
		script string
		state  event.State
		reason string
	}{
		"again, and again":      {strategy("Write the text with a loop!") + strategy("with a loop, write the text"), event.Blocked, "knows no other strategy"},
		"twin: then another":    {strategy("Write the text with a loop!") + strategy("copy the test") + writeRight + reviewPass, event.Succeeded, ""},
		"it would skip a test":  {strategy("skip the failing test") + strategy("copy the test") + writeRight + reviewPass, event.Succeeded, ""},
		"twin: it would not":    {strategy("copy the test, and do not skip the failing test") + writeRight + reviewPass, event.Succeeded, ""},
		"it only weakens tests": {strings.Repeat(strategy("skip the failing test"), 2) + writeRight + reviewPass, event.Succeeded, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, start+c.script)
			e.env.Attempts = 4
			e.check(drifting)
			result := e.run(t)
			require.Equal(t, c.state, result.State, result.Reason)
			require.Contains(t, result.Reason, c.reason)
			require.NoError(t, e.script.Verify())
			for _, p := range e.prompts("executor") {
				require.NotContains(t, p, "Strategy: skip", "a strategy that weakens tests is not shown")
			}
		})
	}
}

// drifting fails in another way with each text that begins so.
var drifting = gateFunc{"lint", func(files map[string]string) gate.Report {
	if !strings.HasPrefix(files["b"], "drift") {
		return gate.Report{Verdict: gate.Pass, Executed: 1, Passed: 1}
	}
	return gate.Report{Verdict: gate.Fail, Executed: 1, Findings: []gate.Finding{{Path: "b", Rule: files["b"], Message: "adrift"}}}
}}

// Attempts that came no nearer although a debugger changed the strategy are not made to the end.
func TestDiagnosis_AttemptsThatComeNoNearerEnd(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+writeWrong+writeWrongly+strategy("one way")+writeLast)
	e.env.Attempts = 8
	result := e.run(t)
	require.Equal(t, event.Blocked, result.State)
	require.Contains(t, result.Reason, "3 attempts came no nearer, the last with another strategy")
	require.Contains(t, result.Reason, "want two in b", "the true reason")
	require.NoError(t, e.script.Verify())

	steady := newEpisode(t, decideExecutor+writeTests+writeWrong+writeWrongly+strategy("one way")+writeRight+reviewPass)
	steady.env.Attempts = 8
	require.Equal(t, event.Succeeded, steady.run(t).State, "the twin")
}

// Two causes that exclude each other are for a model to choose between, and for the user where it cannot.
func TestDiagnosis_TieGoesToAModelAndThenToTheUser(t *testing.T) {
	t.Parallel()
	class := func(word string) string {
		return "\n- {match: {node: overseer}, reply: {json: {class: " + word + ", reason: r}}}"
	}
	for name, c := range map[string]struct {
		script string
		answer event.Answer
		state  event.State
		reason string
		asked  int
	}{
		"blocked": {class("blocked") + writeRight + reviewPass, event.Answer{}, event.Succeeded, "", 0},
		"looks first": {`
- {match: {node: overseer}, reply: {json: {class: unclear, reason: "", requests: [{provider: read_file, args: {path: tax/rates.txt}, why: to see}]}}}
- {match: {node: overseer, contains: ["Looked at, 1"]}, reply: {json: {class: blocked, reason: r}}}` + writeRight + reviewPass, event.Answer{}, event.Succeeded, "", 0},
		"missing context":  {class("missing_context") + debugged + writeRight + reviewPass, event.Answer{}, event.Succeeded, "", 0},
		"unclear, stop":    {class("unclear"), event.Answer{Choice: "stop"}, event.Blocked, "the cause of the failures is unknown", 1},
		"unclear, go on":   {class("unclear") + writeRight + reviewPass, event.Answer{Choice: "go on"}, event.Succeeded, "", 1},
		"unclear, a hint":  {class("unclear") + writeRight + reviewPass, event.Answer{Text: "mind the gap"}, event.Succeeded, "", 1},
		"no class at all":  {class("sunny") + class("rainy") + class("windy"), event.Answer{Choice: "stop"}, event.Blocked, "the cause of the failures is unknown", 1},
		"stuck is no rule": {class("stuck") + class("stuck"), event.Answer{Choice: "stop"}, event.Blocked, "the cause of the failures is unknown", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+writeTests+writingB("two later")+c.script)
			e.large("tax/rates.txt", "7")
			e.check(placed("", says("lint", "b", "later", "rates.txt:1: permission denied")))
			asked := 0
			e.kit.Asker = event.AskerFunc(func(_ context.Context, q event.Question) (event.Answer, error) {
				asked++
				require.Equal(t, event.AskUnblock, q.Kind)
				require.Equal(t, "stop", q.Default)
				return c.answer, nil
			})
			result := e.run(t)
			require.Equal(t, c.state, result.State, result.Reason)
			require.Contains(t, result.Reason, c.reason)
			require.Equal(t, c.asked, asked)
			require.NoError(t, e.script.Verify())
			if c.answer.Text != "" {
				require.Contains(t, e.prompts("executor")[2], c.answer.Text)
			}
		})
	}
}

// Each attempt begins with the tree that the user has: nothing of an earlier one is in it.
func TestDiagnosis_EachAttemptHasAFreshTree(t *testing.T) {
	t.Parallel()
	stray := `
- {match: {node: executor, contains: [You implement]}, reply: {json: {explanation: i, files: [{path: b, action: write, content: oops}, {path: stray, action: create, content: s}], patch: "", blocked: ""}}}`
	e := newEpisode(t, decideExecutor+writeTests+stray+writeRight+reviewPass)
	var seen [][]string
	e.check(gateFunc{"lint", func(files map[string]string) gate.Report {
		seen = append(seen, slices.Sorted(maps.Keys(files)))
		return gate.Report{Verdict: gate.Pass, Executed: 1, Passed: 1}
	}})
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.Equal(t, [][]string{{"a", "a_test"}, {"a", "a_test", "b", "b_test", "stray"}, {"a", "a_test", "b", "b_test"}}, seen)
	for _, f := range result.Changes.Files {
		require.NotEqual(t, "stray", f.Path)
	}
}

// The figures of each attempt are reported with it.
func TestDiagnosis_AttemptsAreReportedWithTheirFigures(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+writeWrong+writeWrongly+debugged+writeRight+reviewPass)
	require.Equal(t, event.Succeeded, e.run(t).State)
	told := events[event.AttemptJudged](e)
	require.Len(t, told, 3)
	require.Equal(t, event.AttemptJudged{
		Attempt: 1, Of: 3, Passed: 1, Total: 2, Score: 0.5, Failures: []string{"test | b_test | b_test | assertion"}, Recommendation: "RETRY_WITH_DEBUGGER",
	}, told[0])
	require.Equal(t, []string{"same failures", "ESCALATE"}, []string{told[1].Stagnation, told[1].Recommendation})
	require.Equal(t, []string{"", "PASS"}, []string{told[2].Stagnation, told[2].Recommendation})
	require.InDelta(t, 0.25, told[2].Velocity, 1e-9)
}
