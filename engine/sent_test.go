package engine

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/flow"
	"forge/engine/history"
	"forge/engine/llm"
	"forge/engine/step"
)

// sentTo are the requests that the model was sent for a node, in one of its attempts.
func (d *harness) sentTo(at step.Place) (all []llm.Request) {
	for _, r := range d.script.Requests() {
		if r.Node == at.Node && r.Attempt == at.Attempt {
			all = append(all, r)
		}
	}
	return all
}

// The requests of a run are composed again from its journal, byte for byte, with their manifests: repairs and later attempts
// too, by another process, after the files have changed.
func TestSent_IsComposedAgain(t *testing.T) {
	t.Parallel()
	d := newHarness(t, saySpec+sayTests+sayWrong+sayCause+sayRight+`
- {match: {node: review}, reply: {text: fine}}`+sayPass)
	e := d.open()
	d.furnish(e)
	run := d.start(e)
	require.Equal(t, event.Succeeded, d.wait(run).State)
	calls := d.calls()
	d.lay("a", "something else")
	d.lay("AGENTS.md", "Use blanks.\n")
	e.Close()
	e = d.open()

	shown := 0
	for _, at := range []step.Place{{Node: "orchestrator", Attempt: 1}, {Node: "spec", Attempt: 1}, {Node: "executor", Attempt: 1}, {Node: "executor", Attempt: 2}, {Node: "review", Attempt: 2}} {
		sent, err := e.Sent(t.Context(), run.ID, at.Node, at.Attempt)
		require.NoError(t, err, at)
		wire := d.sentTo(at)
		require.Len(t, sent, len(wire), at)
		for i := range wire {
			require.Equal(t, wire[i].Messages, sent[i].Request.Messages, at)
			require.Equal(t, d.script.Model().Name(), sent[i].Model)
			require.False(t, sent[i].Redacted)
			require.Contains(t, manifests(run, at), sent[i].Manifest, "the event of the call says what it was made of")
		}
		shown += len(sent)
	}
	require.Len(t, d.sentTo(step.Place{Node: "review", Attempt: 2}), 2, "an answer was repaired")
	require.GreaterOrEqual(t, shown, 7)
	require.Equal(t, calls, d.calls(), "no model is asked again")
}

// manifests are the manifests of the calls at a place, as the run reports them.
func manifests(run *execution.Run, at step.Place) (all []llm.Manifest) {
	for _, ev := range run.Log.Since(0) {
		if called, is := ev.Data.(event.ModelCalled); is && called.Node == at.Node && called.Attempt == at.Attempt {
			all = append(all, called.Manifest)
		}
	}
	return all
}

// A request that was begun and never answered is shown, too: it may have been sent.
func TestSent_RequestWithoutAnswer(t *testing.T) {
	t.Parallel()
	d := newHarness(t, sayExecutor+sayTests+sayNothing)
	e := d.open()
	run := d.start(e)
	await(t, run, d.script.Asked(3)) // the last of them hangs
	run.Leave()
	d.wait(run)
	sent, err := e.Sent(t.Context(), run.ID, "executor", 1)
	require.NoError(t, err)
	require.Len(t, sent, 2)
	require.Equal(t, d.sentTo(step.Place{Node: "executor", Attempt: 1})[1].Messages, sent[1].Request.Messages)
	require.Empty(t, sent[1].Model, "there is no answer yet")
}

// A request that was not sent is not invented: if no model was asked, the run is unknown, the code differs, or settings
// have changed since.
func TestSent_NothingForAnUnsentRequest(t *testing.T) {
	t.Parallel()
	d := newHarness(t, sayExecutor+sayTests+sayRight+sayPass)
	e := d.open()
	run := d.start(e)
	require.Equal(t, event.Succeeded, d.wait(run).State)
	_, err := e.Sent(t.Context(), run.ID, "executor", 7)
	require.ErrorIs(t, err, execution.ErrNotSent)
	require.ErrorContains(t, err, "there is orchestrator/1, executor/1, review/1")
	_, err = e.Sent(t.Context(), "r-none", "executor", 1)
	require.ErrorIs(t, err, history.ErrNoRun)
	d.beginAs(e, "r-old", "pipeline/0")
	_, err = e.Sent(t.Context(), "r-old", "executor", 1)
	require.ErrorIs(t, err, execution.ErrOtherVersion)

	p, err := e.state.Project(d.root)
	require.NoError(t, err)
	store, err := p.Store()
	require.NoError(t, err)
	kept, err := store.Run(t.Context(), run.ID)
	require.NoError(t, err)
	steps, err := store.Steps(t.Context(), run.ID)
	require.NoError(t, err)
	i := slices.IndexFunc(steps, func(s flow.Step) bool { return s.Node == "executor" && s.Do == step.ActivityModel.Name })
	steps[i].InputHash = "of another request"
	_, err = e.host.Sent(t.Context(), p, kept, steps, step.Place{Node: "executor", Attempt: 1})
	require.ErrorContains(t, err, "cannot be composed again")
}

// A secret that was replaced by a mark when it was sent is one in what is shown of it.
func TestSent_HasNoSecrets(t *testing.T) {
	t.Parallel()
	d := newHarness(t, sayExecutor+sayTests+sayRight+sayPass)
	d.lay(".env", "STRIPE_KEY=sk_live_0a9b8c7d6e5f4a3b2c1d\n")
	d.lay("AGENTS.md", "The key is sk_live_0a9b8c7d6e5f4a3b2c1d.\n")
	e := d.open()
	run := d.start(e)
	require.Equal(t, event.Succeeded, d.wait(run).State)
	e.Close()
	sent, err := d.open().Sent(t.Context(), run.ID, "orchestrator", 1)
	require.NoError(t, err)
	require.Equal(t, d.first("orchestrator").Messages, sent[0].Request.Messages)
	text := ""
	for _, m := range sent[0].Request.Messages {
		text += m.Text
	}
	require.Contains(t, text, "The key is [redacted: stripe-access-token].")
	require.NotContains(t, text, "0a9b8c7d6e5f4a3b2c1d")
}
