package pipeline

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/pipeline/work"
	"forge/engine/tool"
)

// triesFirst is a debugger that asks for a tool before each answer that follows.
func triesFirst(request, answers string) string {
	return decideExecutor + writeTests + writeWrong + `
- {match: {node: debugger}, reply: {json: {rootCause: "", hypotheses: [], fix: "", mustRead: [], strategy: "", requests: [` + request + `]}}}` + answers + writeRight + reviewPass
}

const diagnosed = `reply: {json: {rootCause: c, hypotheses: [], fix: mend it, mustRead: [], strategy: s, requests: [], reproduced: 0}}}`

// A call that is refused, or that nobody answers, is a result: the diagnosis goes on without it, and shows nothing as reproduced.
func TestDebugger_RefusedCallsDoNotStopTheDiagnosis(t *testing.T) {
	t.Parallel()
	const command = `{provider: run_command, args: {argv: [go, test]}, why: w}`
	named := tool.Grants{Commands: [][]string{{"go", "test"}}}
	for name, c := range map[string]struct {
		request string
		grants  tool.Grants
		told    string
	}{
		"a command that is not named": {command, tool.Grants{}, "commands are switched off"},
		"nobody answers":              {command, named, "the user did not answer whether it may be run"},
		"nothing may be executed":     {`{provider: run_tests, args: {}, why: w}`, tool.Grants{ReadOnly: true}, "run_tests is switched off"},
		"no tool of the debugger":     {`{provider: write_file, args: {path: b}, why: w}`, tool.Grants{}, `there is no \"write_file\" here`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, triesFirst(c.request, `
- {match: {node: debugger, contains: ["`+c.told+`"]}, `+diagnosed))
			e.env.Attempts, e.env.Grants = 2, c.grants
			e.kit.Asker = event.AskerFunc(func(context.Context, event.Question) (event.Answer, error) { return event.Answer{}, event.ErrNoAnswer })
			result := e.run(t)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			require.NoError(t, e.script.Verify())
			require.Empty(t, events[event.Diagnosed](e)[0].Reproduced)
			require.Equal(t, event.ErrandDone, events[event.ErrandReported](e)[1].State)
			require.Equal(t, result, e.again(t), "played again it is the same")
		})
	}
}

// A debugger that never answers is made to: after two rounds of tools the attempt is made without its diagnosis, and its errand has failed.
func TestDebugger_RoundsAreBounded(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, triesFirst(`{provider: read_file, args: {path: a}, why: w}`, `
- {match: {node: debugger}, reply: {json: {rootCause: "", hypotheses: [], fix: "", mustRead: [], strategy: "", requests: [{provider: read_file, args: {path: b}, why: w}]}}}
- {match: {node: debugger}, reply: {json: {rootCause: "", hypotheses: [], fix: "", mustRead: [], strategy: "", requests: [{provider: read_file, args: {path: a_test}, why: w}]}}, times: 2}`))
	e.env.Attempts = 2
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	require.Contains(t, e.prompts("debugger")[3], "no more tools are called")
	told := events[event.ErrandReported](e)
	require.Equal(t, event.ErrandFailed, told[1].State)
	require.Positive(t, told[1].Tokens)
	require.Empty(t, events[event.Diagnosed](e)[0].RootCause)
}

// The debugger sees the tree of the failed attempt, and not the user's.
func TestDebugger_LooksAtTheFailedAttempt(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, triesFirst(`{provider: read_file, args: {path: b}, why: w}`, `
- {match: {node: debugger, contains: ["Looked at, 1", "oops"]}, `+diagnosed))
	e.env.Attempts = 2
	require.Equal(t, event.Succeeded, e.run(t).State)
	require.NoError(t, e.script.Verify())
}

// A run that ended because the debugger knew no other strategy is retried: the debugger is asked again, as an errand of its own.
func TestDebugger_RetriedDiagnosisIsAnErrandOfItsOwn(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+writeWrong+writeWrongly+strategy("write the text with a loop")+writingB("drift two")+
		strategy("Write the text with a loop!")+strategy("with a loop, write the text")+strategy("copy the test")+writeRight+reviewPass)
	e.env.Attempts = 4
	e.check(drifting)
	result := e.run(t)
	require.Equal(t, event.Blocked, result.State, result.Reason)
	e.env.Retries = []work.Retry{result.Retry}
	result = e.again(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	ids := map[string]bool{}
	for _, told := range events[event.ErrandReported](e) {
		ids[told.ID] = true
	}
	require.Len(t, ids, 3, "two of the run, and one of the retry")
	require.Equal(t, result, e.again(t))
}
