package pipeline

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/gate"
)

const (
	writing   = "You write tests"
	rewriting = "Tests to rewrite"
	bTest     = `{path: b_test, action: create, content: two}`
)

// withUser gives an episode a user who gives these answers to its questions, and the default to all others; it returns the questions.
func withUser(e *episode, answers ...event.Answer) *[]event.Question {
	asked := &[]event.Question{}
	e.kit.Asker = event.AskerFunc(func(ctx context.Context, q event.Question) (event.Answer, error) {
		*asked = append(*asked, q)
		if len(answers) == 0 {
			return event.DefaultAnswers.Ask(ctx, q)
		}
		answer := answers[0]
		answers = answers[1:]
		return answer, nil
	})
	return asked
}

// If the implementation calls a test wrong, of this run or from before it, its author gets the work back before a user is asked; the second time
// the user is asked.
func TestWrongTest_GoesBackToItsAuthor(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ blocked, tests string }{
		"of this run":         {"b_test wants the wrong word", `explanation: t, files: [` + bTest + `]`},
		"from before the run": {"a_test wants the old word", `explanation: a_test states the old word, files: [` + bTest + `, {path: a_test, action: write, content: uno}]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			blocked := reply(implementing, `explanation: "", blocked: `+c.blocked)
			e := newEpisode(t, decideExecutor+writeTests+blocked+reply(c.blocked, c.tests)+blocked)
			asked := withUser(e)
			result := e.run(t)
			require.Equal(t, event.Blocked, result.State, result.Reason)
			require.NoError(t, e.script.Verify())
			require.Len(t, *asked, 1, "the second time")
			prompts := e.prompts("executor")
			require.Contains(t, prompts[2], writing)
			require.Contains(t, prompts[2], rewriting)
			require.NotContains(t, prompts[3], "Why the last one was not accepted")
		})
	}
}

// A test in a file of code goes back too, if what is said is about tests.
func TestWrongTest_InAFileOfCode(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a": "one\n(one)\n"}
	write := func(text string) string {
		return `explanation: a states the old word, files: [{path: a, action: write, content: "` + text + `"}]`
	}
	tests := reply(writing, write(`one\n(one)\n[two]\n`))
	e := inOneFile(t, decideExecutor+tests+reply(implementing, `explanation: "", blocked: the example in a states the old word`)+
		reply("states the old word", write(`one\n(uno)\n[two]\n`))+reply(implementing, write(`uno two\n(uno)\n[two]\n`))+reviewPass, files)
	asked := withUser(e)
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	for _, q := range *asked {
		require.Contains(t, q.Title, "existing test changed")
	}

	e = inOneFile(t, decideExecutor+tests+reply(implementing, `explanation: "", blocked: "which of the words in a is meant?"`), files)
	asked = withUser(e)
	require.Equal(t, event.Blocked, e.run(t).State)
	require.Len(t, *asked, 1, "nothing is said about a test")
}

// What the user answers to a model that calls a test wrong goes to the author of the tests, also in the last attempt.
func TestWrongTest_TheUsersAnswerGoesToItsAuthor(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+reply(implementing, `explanation: "", blocked: b_test wants the wrong word`)+
		reply("The user says: change it", `explanation: t, files: [{path: b_test, action: create, content: due}]`)+
		reply(implementing, `explanation: i, files: [{path: b, action: write, content: due}]`)+reviewPass)
	e.env.Attempts = 1
	asked := withUser(e, event.Answer{Text: "change it"})
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	require.Len(t, *asked, 1)
	prompts := e.prompts("executor")
	require.Contains(t, prompts[2], writing)
	require.Contains(t, prompts[2], "Attempt 2 of 2.")
	require.Equal(t, result, e.again(t))
}

// The author of tests that are called wrong may leave them as they are: the prompt for the implementation says why.
func TestWrongTest_ItsAuthorMayLeaveIt(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+reply(implementing, `explanation: "", blocked: b_test wants the wrong word`)+
		reply(rewriting, `explanation: two is what the task says, done: true`)+reply("two is what the task says", putTwo)+reviewPass)
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	require.Len(t, result.Changes.Files, 2)
	require.Len(t, e.finished("red"), 1, "they were seen to fail once")
}

// Tests that are called wrong are written again until other ones are accepted: the wrong ones do not come back.
func TestWrongTest_IsWrittenAgainUntilAccepted(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+reply(implementing, `explanation: "", blocked: b_test wants the wrong word`)+
		reply(rewriting, `explanation: in a_test, files: [{path: a_test, action: write, content: on}]`)+
		reply("the tests were not seen red", `explanation: t, files: [{path: b_test, action: create, content: due}]`)+
		reply(implementing, `explanation: i, files: [{path: b, action: write, content: due}]`)+reviewPass)
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	prompts := e.prompts("executor")
	require.Contains(t, prompts[3], "Your last attempt")
	require.Contains(t, prompts[3], "+on")
	require.NotContains(t, prompts[4], "Why the last one was not accepted", "it was not the implementation")
}

// aftermath is the end of a prompt, from the last attempt on; empty for a prompt without.
func aftermath(prompt string) string {
	for _, name := range []string{"\n## Your last attempt", "\n## " + rewriting, "\n## Attempt "} {
		if at := strings.Index(prompt, name); at >= 0 {
			return prompt[at:]
		}
	}
	return ""
}

// The author of the tests and that of the implementation are shown their own last attempts, and why these were not accepted.
func TestTrouble_EachAuthorSeesItsOwn(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+reply(writing, `explanation: in a_test, files: [{path: a_test, action: write, content: on}]`)+
		writeTests+writeWrong+debugged+writeRight+reviewPass)
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	prompts := e.prompts("executor")
	require.Contains(t, aftermath(prompts[1]), "+on")
	require.Contains(t, aftermath(prompts[1]), "the tests were not seen red")
	require.Empty(t, aftermath(prompts[2]), "the implementation has not failed")
	require.Contains(t, aftermath(prompts[3]), "+oops")
	require.Contains(t, aftermath(prompts[3]), "want two in b")
}

// If a reviewer objects to the tests, their author is shown them, and the implementation its own change.
func TestTrouble_AcceptedTestsAreShownToTheirAuthor(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+writeRight+`
- {match: {node: review}, reply: {json: {pass: false, reason: weak, issues: [{path: b_test, startLine: 1, endLine: 1, severity: error, message: it proves little}]}}}`+
		reply(rewriting, `explanation: t, files: [{path: b_test, action: create, content: one two}]`)+writeRight+reviewPass)
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	prompts := e.prompts("executor")
	require.Contains(t, aftermath(prompts[2]), "b_test\n@@ -0,0 +1 @@\n+two\n")
	require.NotContains(t, aftermath(prompts[2]), "+one two")
	require.Contains(t, aftermath(prompts[2]), "it proves little")
	require.Contains(t, aftermath(prompts[3]), "+one two")
	require.NotContains(t, aftermath(prompts[3]), "+++ b/b_test")
	require.Contains(t, aftermath(prompts[3]), "it proves little", "it may be about both")
}

// If a gate objects to nothing but the tests, the implementation is shown its change, and no fault.
func TestTrouble_NoFaultOfTheImplementation(t *testing.T) {
	t.Parallel()
	tidy := gateFunc{"tidy", func(files map[string]string) gate.Report {
		if files["b_test"] != "two" {
			return gate.Report{Verdict: gate.Pass, Executed: 1, Passed: 1, Summary: "tidy"}
		}
		return gate.Report{Verdict: gate.Fail, Executed: 1, Summary: "untidy", Findings: []gate.Finding{{Path: "b_test", Line: 1, Severity: gate.SeverityError, Message: "it is untidy"}}}
	}}
	e := newEpisode(t, decideExecutor+writeTests+writeRight+reply(rewriting, `explanation: t, files: [{path: b_test, action: create, content: one two}]`)+writeRight+reviewPass)
	e.check(tidy)
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	prompts := e.prompts("executor")
	require.Contains(t, aftermath(prompts[2]), "it is untidy")
	require.Contains(t, aftermath(prompts[3]), "+one two")
	require.Contains(t, aftermath(prompts[3]), "its tests were at fault")
	require.NotContains(t, prompts[3], "it is untidy")
}

// A diagnosis is about the time before an answer of the user to a blocked model: the phases after that are not shown it.
func TestTrouble_ADiagnosisEndsWithAnAnswer(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+writeRight+`
- {match: {node: review}, reply: {json: {pass: false, reason: weak, issues: [{path: b_test, startLine: 1, endLine: 1, severity: error, message: it proves little}]}}}`+
		debugged+reply(rewriting, `explanation: "", blocked: "what would prove more?"`)+
		reply("The user says: both words", `explanation: t, files: [{path: b_test, action: create, content: one two}]`)+writeRight+reviewPass)
	e.env.Attempts = 2
	withUser(e, event.Answer{Text: "both words"})
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	prompts := e.prompts("executor")
	require.Contains(t, prompts[2], "Diagnosis of the debugger")
	require.NotContains(t, prompts[4], "Diagnosis of the debugger")
	require.Contains(t, prompts[4], "both words")
}
