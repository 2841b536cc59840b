package engine

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/gate"
	"forge/engine/llm"
	"forge/engine/secret"
	"forge/engine/spend"
	"forge/engine/workspace"
)

func (d *harness) startWithin(e *Engine, limits execution.Limits) *execution.Run {
	d.t.Helper()
	run, err := e.Start(Request{
		Task: "put two into b", Snapshot: workspace.Snapshot{Root: d.root}, Asker: d.asker, Limits: limits,
	})
	require.NoError(d.t, err)
	return run
}

// A run that has used up a limit is blocked before it uses more, reports how it continues, and does: with a higher limit it ends
// with the same result, and nothing is billed twice. Without one it would be blocked again.
func TestBudget_RunContinuesWithAHigherLimit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limits, raised execution.Limits
		says           string
	}{
		"tokens": {execution.Limits{Tokens: 6000}, execution.Limits{Tokens: 500_000}, "--tokens"},
		"money":  {execution.Limits{MicroUSD: 6000}, execution.Limits{MicroUSD: 500_000}, "--usd"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newHarness(t, sayExecutor+sayTests+sayRight+sayPass)
			price := "- {provider: only, models: ['*'], input: 1, output: 1}"
			require.NoError(t, os.WriteFile(filepath.Join(d.state, "prices.yaml"), []byte(price), 0o600))
			e := d.open()
			run := d.startWithin(e, c.limits)
			result := d.wait(run)
			require.Equal(t, event.Blocked, result.State, result.Reason)
			require.Contains(t, result.Reason, "forge resume "+run.ID+" "+c.says)
			require.Equal(t, event.RemedyLimit, result.Remedy)
			asked := d.calls()
			require.Less(t, asked, 4)

			same := d.wait(d.resume(d.open(), run.ID))
			require.Equal(t, event.RemedyLimit, same.Remedy)
			require.Equal(t, event.Blocked, same.State, "the limit is that of the run, however often it is resumed")
			require.Equal(t, asked, d.calls())

			again, err := d.open().Resume(t.Context(), run.ID, d.asker, c.raised)
			require.NoError(t, err)
			result = d.wait(again)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			require.Equal(t, 4, d.calls())
			require.NoError(t, d.script.Verify())

			kept := d.only()
			require.Positive(t, kept.Tokens)
			require.EqualValues(t, kept.Tokens, kept.Cost.MicroUSD, "a token costs a millionth")
			rows, err := d.open().Cost(t.Context(), spend.Query{Run: run.ID, By: spend.ByRun})
			require.NoError(t, err)
			require.Len(t, rows, 1)
			require.EqualValues(t, kept.Tokens, rows[0].Tokens)
			require.Equal(t, 4, rows[0].Attempts)
		})
	}
}

// A busy machine may spend the limit before the model is asked what it does not answer: then the run is resumed with the same limit until it is.
func TestResume_ContinuesAfterATimeLimit(t *testing.T) {
	t.Parallel()
	d := newHarness(t, sayExecutor+sayTests+sayNothing+sayRight+sayPass)
	tooShort := 3 * time.Second
	hangs := d.script.Asked(3)
	run := d.startWithin(d.open(), execution.Limits{Duration: tooShort})
	for asked := false; !asked; {
		result := d.wait(run)
		require.Equal(t, event.Blocked, result.State)
		require.Contains(t, result.Reason, "forge resume "+run.ID+" --minutes")
		tooShort *= 2 // until some progress is made within it
		limit := execution.Limits{Duration: tooShort}
		select {
		case <-hangs:
			asked, limit = true, execution.Limits{Duration: time.Hour}
		default:
		}
		again, err := d.open().Resume(t.Context(), run.ID, d.asker, limit)
		require.NoError(t, err)
		run = again
	}
	require.Equal(t, event.Succeeded, d.wait(run).State)
}

// The settings of a folder are those of its runs: limits of runs that name none, and whether answers are kept.
func TestBudget_SettingsOfAFolderHold(t *testing.T) {
	t.Parallel()
	d := newHarness(t, sayExecutor+sayTests+sayRight+sayPass)
	e := New(Options{StateDir: d.state, Chooser: llm.OnlyFrom(d.model), Environ: os.Environ(), Languages: []gate.Language{echo}, Settings: func(_ context.Context, folder string) Settings {
		if folder != d.root {
			return Settings{}
		}
		return Settings{Limits: execution.Limits{Tokens: 100}, Cache: true}
	}})
	t.Cleanup(e.Close)
	require.NoError(t, e.Trust(d.root))
	require.Equal(t, event.Blocked, d.wait(d.start(e)).State)
	require.Zero(t, d.calls())
	require.Equal(t, event.Succeeded, d.wait(d.startWithin(e, execution.Limits{Tokens: 500_000})).State, "what a run names counts")
	require.Equal(t, 4, d.calls())
	d.forgetAll(e) // what it has taught would be part of the questions
	second := d.wait(d.startWithin(e, execution.Limits{Tokens: 500_000}))
	require.Equal(t, event.Succeeded, second.State, second.Reason)
	require.Equal(t, 4, d.calls(), "the same questions are answered from what is kept")
	n, err := e.ClearCache(t.Context())
	require.NoError(t, err)
	require.Equal(t, 4, n)
	n, err = e.ClearCache(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
}

// A mistake in the prices of the user's own is said before anything is spent.
func TestBudget_MistakeInThePricesIsReported(t *testing.T) {
	t.Parallel()
	d := newHarness(t, sayExecutor)
	require.NoError(t, os.WriteFile(filepath.Join(d.state, "prices.yaml"), []byte("- {provider: x}"), 0o600))
	result := d.wait(d.start(d.open()))
	require.Equal(t, event.Blocked, result.State)
	require.Contains(t, result.Reason, "prices.yaml"+": entry 1: name a provider and its models")
	require.Zero(t, d.calls())
}

// A run reports its spending while it spends.
func TestBudget_SpendingIsReported(t *testing.T) {
	t.Parallel()
	d := newHarness(t, sayExecutor+sayTests+sayRight+sayPass)
	run := d.start(d.open())
	require.Equal(t, event.Succeeded, d.wait(run).State)
	var last event.Spent
	for _, e := range run.Log.Since(0) {
		if s, is := e.Data.(event.Spent); is {
			require.Greater(t, s.Tokens, last.Tokens)
			last = s
		}
	}
	require.EqualValues(t, d.only().Tokens, last.Tokens)
	require.EqualValues(t, execution.DefaultTokens, last.LimitTokens)
	require.True(t, last.Cost.Unpriced)
}

// An answer with a secret in it is given, and not kept.
func TestBudget_AnswerWithASecretIsNotKept(t *testing.T) {
	t.Parallel()
	const leaky = "\n- {match: {node: orchestrator}, reply: {json: {action: executor, reason: hunter2-hunter2}}}"
	d := newHarness(t, leaky+sayTests+sayRight+sayPass)
	known := secret.New()
	known.Learn(secret.Value{Name: "a password", Text: "hunter2-hunter2"})
	e := New(Options{
		StateDir: d.state, Chooser: llm.OnlyFrom(d.model), Environ: os.Environ(), Secrets: known, Languages: []gate.Language{echo},
		Settings: func(context.Context, string) Settings { return Settings{Cache: true} },
	})
	t.Cleanup(e.Close)
	require.NoError(t, e.Trust(d.root))
	require.Equal(t, event.Succeeded, d.wait(d.start(e)).State)
	require.Equal(t, 4, d.calls())
	n, err := e.ClearCache(t.Context())
	require.NoError(t, err)
	require.Equal(t, 3, n)
	e.Close()
	for _, name := range []string{"global/cache.db", "global/cost.db"} {
		text, err := os.ReadFile(filepath.Join(d.state, name))
		require.NoError(t, err)
		require.NotContains(t, string(text), "hunter2")
	}
}
