package pipeline

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/ask"
	"forge/engine/event"
)

// The answers of a model that changes what is promised: tests that are there, in the phase for tests, and the code.
const (
	unoTests  = `files: [{path: a_test, action: write, content: uno}]`
	unoAnswer = `explanation: a_test promises the old word, ` + unoTests
	unoCode   = `explanation: i, files: [{path: a, action: write, content: uno}]`
)

// Tests that pass are changed with the consent of the person, and with their reason.
func TestATestThatMustChangeIsNamed(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+
		reply("You write tests", "explanation: t, "+unoTests)+
		reply("takes something out of them", unoAnswer)+
		reply(implementing, unoCode)+reviewPass)
	var asked []ask.Question
	e.kit.Asker = ask.Func(func(_ context.Context, q ask.Question) (ask.Answer, error) {
		asked = append(asked, q)
		return ask.Answer{Choice: "approve"}, nil
	})
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	require.Len(t, result.Changes.Files, 2)
	require.Len(t, asked, 1)
	require.Equal(t, "1 test passes today and would not any more. Is that wanted?", asked[0].Title)
	require.Contains(t, asked[0].Detail, "a_test promises the old word")
	require.Contains(t, asked[0].Detail, "the tests of test pass as they are today, and would fail with this change")
	require.Equal(t, "reject", asked[0].Default)
	require.Equal(t, result, e.again(t))
	require.Len(t, asked, 1, "a run that is played again knows the answer")
}

// Nobody is asked where the task names the file.
func TestATestThatTheTaskNamesMayChange(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+reply("You write tests", unoAnswer)+reply(implementing, unoCode)+reviewPass)
	e.task.Text = "say uno in a, and in a_test"
	e.kit.Asker = ask.Func(func(context.Context, ask.Question) (ask.Answer, error) { panic("nobody is asked") })
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
}

// Where nobody says that it is wanted, tests that passed go on passing: the model is told so and what the person says instead, and is asked
// for other tests.
func TestTestsThatPassGoOnPassing(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]ask.Answer{"nobody": {Choice: "reject"}, "a text": {Choice: "reject", Text: "uno is for b"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := answer.Text
			if said != "" {
				said = ". The user says: " + said
			}
			e := newEpisode(t, decideExecutor+
				reply("You write tests", unoAnswer)+reply(implementing, unoCode)+
				reply("and let them pass, unless the task names that file"+said, `explanation: t, files: [{path: b_test, action: create, content: two}]`)+
				writeRight+reviewPass)
			asked := 0
			e.kit.Asker = ask.Func(func(context.Context, ask.Question) (ask.Answer, error) {
				asked++
				return answer, nil
			})
			result := e.run(t)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			require.NoError(t, e.script.Verify())
			require.Len(t, result.Changes.Files, 2)
			require.Equal(t, "one", e.tree.base["a_test"])
			require.Equal(t, 1, asked)
		})
	}
}

// A model that insists comes to nothing, and the person is asked once.
func TestAModelThatInsistsOnOtherTests(t *testing.T) {
	t.Parallel()
	always := func(entry string) string { return strings.Replace(entry, "- {", "- {times: -1, ", 1) }
	e := newEpisode(t, decideExecutor+always(reply("You write tests", unoAnswer))+always(reply(implementing, unoCode))+
		"\n- {match: {node: debugger}, reply: {json: {rootCause: r, hypotheses: [], fix: f, mustRead: [], strategy: s}}, times: -1}")
	asked := 0
	e.kit.Asker = ask.Func(func(context.Context, ask.Question) (ask.Answer, error) {
		asked++
		return ask.Answer{Choice: "reject"}, nil
	})
	result := e.run(t)
	require.Contains(t, []event.State{event.Failed, event.Blocked}, result.State)
	require.Contains(t, result.Reason, "the tests of test pass as they are today, and would fail with this change")
	require.Equal(t, 1, asked)
}

// Tests in another form that ask for the same are nobody's question.
func TestTestsInAnotherForm(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+
		reply("You write tests", `explanation: "a_test asks for less, and b_test is new", files: [{path: a_test, action: write, content: o}, {path: b_test, action: create, content: two}]`)+
		writeRight+reviewPass)
	e.kit.Asker = ask.Func(func(context.Context, ask.Question) (ask.Answer, error) { panic("nobody is asked") })
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.Len(t, result.Changes.Files, 3)
}
