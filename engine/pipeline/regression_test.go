package pipeline

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/mode"
	"forge/engine/pipeline/work"
	"forge/patch"
)

// Each test here keeps a promise that an earlier system of this name made and broke.

// The lines of a script from which the episodes are put together.
const (
	decideExecutor = `
- {match: {node: orchestrator}, reply: {json: {action: executor, reason: small}}}`
	decideSpec = `
- {match: {node: orchestrator}, reply: {json: {action: generate_spec, reason: new behaviour}}}`
	writeTests = `
- {match: {node: executor, contains: [You write tests]}, reply: {json: {explanation: t, files: [{path: b_test, action: create, content: two}], patch: "", blocked: ""}}}`
	writeRight = `
- {match: {node: executor, contains: [You implement]}, reply: {json: {explanation: i, files: [{path: b, action: write, content: one two}], patch: "", blocked: ""}}}`
	writeOther = `
- {match: {node: executor, contains: [You implement]}, reply: {json: {explanation: i, files: [{path: b, action: write, content: two at last}], patch: "", blocked: ""}}}`
	writeWrong = `
- {match: {node: executor, contains: [You implement]}, reply: {json: {explanation: i, files: [{path: b, action: write, content: oops}], patch: "", blocked: ""}}}`
	writeWrongly = `
- {match: {node: executor, contains: [You implement]}, reply: {json: {explanation: i, files: [{path: b, action: write, content: oops again}], patch: "", blocked: ""}}}`
	writeLast = `
- {match: {node: executor, contains: [You implement]}, reply: {json: {explanation: i, files: [{path: b, action: write, content: still not}], patch: "", blocked: ""}}}`
	debugged = `
- {match: {node: debugger}, reply: {json: {rootCause: the text is misspelled, hypotheses: [], fix: spell it, mustRead: [], strategy: copy the text of the test}}}`
	reviewPass = `
- {match: {node: review}, reply: {json: {pass: true, reason: good, issues: []}}}`
	reviewGarbage = `
- {match: {node: review}, reply: {text: "Looks good to me!"}, times: 2}`
)

func TestRun_EndsWithTheReviewedChange(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+writeRight+reviewPass)
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.Len(t, result.Changes.Files, 2)
	require.Equal(t, "SKIPPED", e.status("spec"))
	require.Equal(t, "DONE", e.status("review"))
	require.NoError(t, e.script.Verify())
}

// spec is the reply of a specification.
const writeSpec = `
- {match: {node: spec}, reply: {json: {title: two in b, spec: b contains two, questions: []}}}`

// A human gate does not fall through: until it is answered, the model sees no request past it.
func TestRun_NothingIsAskedOfTheModelPastAnUnansweredGate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer event.Answer
		err    error
		state  event.State
	}{
		"rejected":   {event.Answer{Choice: "reject"}, nil, event.Cancelled},
		"dismissed":  {event.Answer{}, event.ErrNoAnswer, event.Blocked},
		"front died": {event.Answer{}, errors.New("the pipe is broken"), event.Blocked},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideSpec+writeSpec)
			e.task.ApproveSpec = true
			e.kit.Asker = event.AskerFunc(func(context.Context, event.Question) (event.Answer, error) { return c.answer, c.err })
			result := e.run(t)
			require.Equal(t, c.state, result.State, result.Reason)
			require.Empty(t, e.prompts("executor"))
			require.Equal(t, startingTree(), e.tree.files)
			require.NoError(t, e.script.Verify())
		})
	}
}

func TestRun_ApprovedGateOpens(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideSpec+writeSpec+writeTests+writeRight+reviewPass)
	e.task.ApproveSpec = true
	e.kit.Asker = event.AskerFunc(func(_ context.Context, q event.Question) (event.Answer, error) {
		require.Equal(t, "reject", q.Default)
		require.Contains(t, q.Detail, "b contains two")
		return event.Answer{Choice: "approve"}, nil
	})
	require.Equal(t, event.Succeeded, e.run(t).State)
	require.Contains(t, e.prompts("executor")[0], "b contains two", "the specification is in the executor's prompt")
}

func TestRun_RejectionWithAReasonMakesAnotherDraft(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideSpec+writeSpec+writeSpec+writeTests+writeRight+reviewPass)
	e.task.ApproveSpec = true
	answers := []event.Answer{{Choice: "reject", Text: "two must come last"}, {Choice: "approve"}}
	e.kit.Asker = event.AskerFunc(func(context.Context, event.Question) (event.Answer, error) {
		answer := answers[0]
		answers = answers[1:]
		return answer, nil
	})
	require.Equal(t, event.Succeeded, e.run(t).State)
	drafts := e.prompts("spec")
	require.Len(t, drafts, 2)
	require.NotContains(t, drafts[0], "two must come last")
	require.Contains(t, drafts[1], "two must come last")
}

// BLOCKED goes back to the executor: two failures, three attempts, each with the reason of the last one.
func TestReview_RefusalGoesBackWithItsReason(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+writeWrong+writeWrongly+debugged+writeRight+reviewPass)
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	prompts := e.prompts("executor")
	require.Len(t, prompts, 4, "tests once, then three implementations")
	require.NotContains(t, prompts[1], "Why the last one was not accepted")
	for attempt, p := range prompts[2:] {
		require.Contains(t, p, "want two in b", "attempt %d", attempt+2)
		require.Contains(t, p, "oops", "attempt %d sees what was tried", attempt+2)
	}
	require.Len(t, e.prompts("review"), 1, "the model is not asked about a red change")
}

func TestRun_AttemptsAreBounded(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+writeWrong+writeWrongly+debugged+writeLast)
	result := e.run(t)
	require.Equal(t, event.Failed, result.State)
	require.Contains(t, result.Reason, "gave up after 3 attempts")
	require.Contains(t, result.Reason, "want two in b", "the true reason")
	require.NotEmpty(t, result.Unverified)
}

// An unreadable review is an error, and an error is never a pass.
func TestReview_UnreadableAnswerBlocks(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+writeRight+reviewGarbage)
	result := e.run(t)
	require.Equal(t, event.Blocked, result.State)
	require.Contains(t, result.Reason, "the review ended in an error")
	require.Equal(t, "BLOCKED", e.status("review"))
	require.NotEmpty(t, result.Unverified)
	require.Len(t, e.prompts("review"), 2, "the call and a repair, which is the same")
}

// The reviewer is shown the change itself, not the names of files.
func TestReview_ShowsTheDiff(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+writeRight+reviewPass)
	e.run(t)
	review := e.prompts("review")[0]
	for _, line := range []string{"+++ b/b", "1 +| one two", "1 +| two", "put two into b"} {
		require.Contains(t, review, line)
	}
	require.NotContains(t, e.prompts("orchestrator")[0], "+| one two", "the twin: where there is no change, none is shown")
}

func TestReview_OpinionCanFailAGreenChange(t *testing.T) {
	t.Parallel()
	for name, verdict := range map[string]string{
		"fail":                     `{pass: false, reason: two is not last, issues: []}`,
		"pass but an error beside": `{pass: true, reason: fine, issues: [{path: b, startLine: 1, severity: error, message: two is not last}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opinion := "\n- {match: {node: review}, reply: {json: " + verdict + "}}"
			e := newEpisode(t, decideExecutor+writeTests+writeRight+opinion+writeOther+reviewPass)
			require.Equal(t, event.Succeeded, e.run(t).State)
			require.Contains(t, e.prompts("executor")[2], "two is not last")
		})
	}
}

// A gate that broke, and a gate that did not run, do not open. Nothing is asked of the model in their
// place.
func TestReview_OnlyPassOpens(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		verdict gate.Verdict
		state   event.State
		reason  string
	}{
		"time-out":      {gate.Error, event.Failed, "took too long"},
		"tool missing":  {gate.NotRun, event.Blocked, "did not run, which is not a pass"},
		"twin: it runs": {gate.Pass, event.Succeeded, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := decideExecutor + writeTests + writeRight + writeRight + debugged + writeRight + reviewPass
			e := newEpisode(t, script)
			lint := gateFunc{"lint", func(files map[string]string) gate.Report {
				if _, changed := files["b"]; changed {
					return gate.Report{Verdict: c.verdict, Summary: "took too long", Executed: 1, Passed: 1}
				}
				return gate.Report{Verdict: gate.Pass, Executed: 1, Passed: 1}
			}}
			e.check(lint)
			result := e.run(t)
			require.Equal(t, c.state, result.State, result.Reason)
			require.Contains(t, result.Reason, c.reason)
			if c.verdict != gate.Pass {
				require.Empty(t, e.prompts("review"))
			}
		})
	}
}

// An edit that does not fit changes nothing at all, and its fault goes back to the model.
func TestRun_EditThatDoesNotFitChangesNothing(t *testing.T) {
	t.Parallel()
	misfit := `
- match: {node: executor, contains: [You implement]}
  times: 9
  reply:
    json:
      explanation: i
      files: [{path: b, action: create, content: two}]
      patch: "*** Begin Patch\n*** Update File: a\n@@\n-not there\n+two\n*** End Patch"
      blocked: ""`
	e := newEpisode(t, decideExecutor+writeTests+misfit)
	result := e.run(t)
	require.Equal(t, event.Blocked, result.State)
	require.Contains(t, result.Reason, "attempt 2 gives the answer of attempt 1 again")
	require.Empty(t, result.Changes.Files)
	require.NotContains(t, e.tree.files, "b", "the part that fits is not written either")
	require.Equal(t, "one", e.tree.files["a"])
	require.Contains(t, e.prompts("executor")[2], "not there", "the repair names what did not fit")
}

// Repairs of an answer have a budget of their own: on the last attempt there are still two.
func TestRun_RepairsDoNotUseUpAttempts(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+writeWrong+writeWrongly+debugged+garbage("no JSON")+garbage("none again")+writeRight+reviewPass)
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
}

func TestRun_RepairsAreBounded(t *testing.T) {
	t.Parallel()
	all := ""
	for i := range 9 {
		all += garbage(fmt.Sprintf("no JSON, %d", i))
	}
	e := newEpisode(t, decideExecutor+writeTests+all)
	require.Equal(t, event.Failed, e.run(t).State)
	require.Len(t, e.prompts("executor"), 1+3*3, "tests, then three attempts of a call and two repairs")
}

// A repeated invalid answer ends the repairs: in an attempt, and in the next one.
func TestRepairs_EndWithTheSameAnswer(t *testing.T) {
	t.Parallel()
	frozen := func(explanation string) string {
		return "\n- {match: {node: executor, contains: [You implement]}, reply: {json: {explanation: " + explanation +
			", files: [{path: a_test, action: write, content: none}], patch: '', blocked: ''}}}"
	}
	for name, script := range map[string]string{
		"the same text":                      garbage("no JSON") + garbage("no JSON") + garbage("no JSON"),
		"the same edits, explained again":    frozen("one") + frozen("two") + frozen("three"),
		"another attempt's, after something": frozen("one") + garbage("no JSON") + frozen("two") + frozen("three"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+writeTests+script)
			result := e.run(t)
			require.Equal(t, event.Blocked, result.State)
			require.Contains(t, result.Reason, "attempt 2 gives the answer of attempt 1 again, which could not be used: ")
			require.NoError(t, e.script.Verify())
			require.Equal(t, result, e.again(t), "played again it is the same")
		})
	}
}

// garbage is an unusable answer of the implementing model.
func garbage(text string) string {
	return "\n- {match: {node: executor, contains: [You implement]}, reply: {text: '" + text + "'}}"
}

func TestRun_NothingChecksTheFolder(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeRight+reviewPass)
	e.env.Project = work.Project{}
	result := e.run(t)
	require.Equal(t, event.Blocked, result.State, "what nothing has checked is no success")
	require.Contains(t, result.Reason, "nothing checks this change")
	require.Len(t, e.prompts("executor"), 1, "there are no tests to write that nothing would run")
	require.Len(t, e.prompts("review"), 1)
}

func TestRun_DocumentsNeedNoGate(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+`
- {match: {node: executor}, reply: {json: {explanation: i, files: [{path: README, action: create, content: two}]}}}`+reviewPass)
	e.env.Project = work.Project{}
	e.task.Recipe = mode.Document
	require.Equal(t, event.Succeeded, e.run(t).State)
}

// Progress is not stagnation: a different, smaller fault with each attempt is tried to the end.
func TestRun_SteadyProgressIsNotGivenUp(t *testing.T) {
	t.Parallel()
	tests := `
- {match: {node: executor, contains: [You write tests]}, reply: {json: {explanation: t, files: [{path: b_test, action: create, content: two}, {path: c_test, action: create, content: three}, {path: d_test, action: create, content: four}], patch: "", blocked: ""}}}`
	implement := func(files string) string {
		return `
- {match: {node: executor, contains: [You implement]}, reply: {json: {explanation: i, files: [` + files + `], patch: "", blocked: ""}}}`
	}
	b, c, d := `{path: b, action: write, content: two}`, `{path: c, action: write, content: three}`, `{path: d, action: write, content: four}`
	e := newEpisode(t, decideExecutor+tests+implement(b)+implement(b+", "+c)+debugged+implement(b+", "+c+", "+d)+reviewPass)
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
}

// The result reports how exactly the model's edits matched, though the tree only knows texts.
func TestRun_ResultHasHowExactlyEditsFitted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		context string
		want    patch.Level
	}{
		"exact":          {" one", patch.Exact},
		"trailing space": {" one  ", patch.TrailingSpace},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			implement := `
- match: {node: executor, contains: [You implement]}
  reply:
    json: {explanation: i, files: [{path: b, action: write, content: two}], blocked: "", patch: "*** Begin Patch\n*** Update File: a\n@@\n` + c.context + `\n+more\n*** End Patch"}`
			e := newEpisode(t, decideExecutor+writeTests+implement+reviewPass)
			result := e.run(t)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			require.Equal(t, "a", result.Changes.Files[0].Path)
			require.Len(t, result.Changes.Files[0].Matches, 1)
			require.Equal(t, c.want, result.Changes.Files[0].Matches[0].Level)
		})
	}
}

// Files that tests leave behind when they run are no part of the change.
func TestRun_LeftoversOfTestsAreNotProposed(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+writeRight+reviewPass)
	littering := gateFunc{"test", func(files map[string]string) gate.Report {
		files["coverage.out"] = "mode: set"
		return testGate.run(files)
	}}
	e.kit.Gate = func(string) gate.Gate { return littering }
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.Contains(t, e.tree.files, "coverage.out", "the twin: the review's gates did leave it")
	for _, f := range result.Changes.Files {
		require.NotEqual(t, "coverage.out", f.Path)
	}
}

// If there is nothing to do, nothing runs. But only a question may need nothing: a model that claims this for a request for a change
// has not carried it out, and neither has one that calls the request a question.
func TestRun_NothingToDoRunsNoGate(t *testing.T) {
	t.Parallel()
	for task, want := range map[string]event.State{
		"is there a function for this?": event.Succeeded, "add it": event.Blocked, "fix the bug": event.Blocked, "": event.Blocked,
	} {
		e := newEpisode(t, `
- {match: {node: orchestrator}, reply: {json: {action: done, reason: it is there already, kind: analysis}}}`)
		e.task.Text, e.task.Class = task, mode.Classify(mode.Request{Text: task})
		result := e.run(t)
		require.Equal(t, want, result.State, task)
		require.Contains(t, result.Reason, "it is there already")
		for _, ev := range e.log.Since(0) {
			require.NotEqual(t, "gate.started", ev.Data.Type())
		}
	}
}
