package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/gate"
	"forge/engine/history"
	"forge/engine/llm"
	"forge/engine/llm/llmtest"
	"forge/engine/workspace"
	"forge/internal/testkit"
)

// harness is a folder with Forge's state, over which several engines come one after the other.
type harness struct {
	t           *testing.T
	root, state string
	script      *llmtest.Script
	model       func(context.Context) (llm.Model, error)
	gates       []gate.Gate
	asker       event.Asker
	now         func() time.Time
	notice      func(text string)
}

func newHarness(t *testing.T, script string) *harness {
	t.Helper()
	parsed, err := llmtest.Parse(t.Name(), []byte("entries:"+script))
	require.NoError(t, err)
	d := &harness{
		t: t, root: t.TempDir(), state: t.TempDir(), script: parsed, asker: event.DefaultAnswers,
		model: func(context.Context) (llm.Model, error) { return parsed.Model(), nil },
	}
	for name, text := range map[string]string{"a": "one", "a_test": "one"} {
		require.NoError(t, os.WriteFile(filepath.Join(d.root, name), []byte(text), 0o600))
	}
	return d
}

// open is an engine as a new process has it.
func (d *harness) open() *Engine {
	d.t.Helper()
	known := echo
	if d.gates != nil {
		known = echoing(d.gates...)
	}
	e := New(Options{StateDir: d.state, Chooser: llm.OnlyFrom(d.model), Environ: os.Environ(), Now: d.now, Notice: d.notice, Languages: []gate.Language{known}})
	d.t.Cleanup(e.Close)
	require.NoError(d.t, e.Trust(d.root))
	return e
}

func (d *harness) start(e *Engine) *execution.Run {
	d.t.Helper()
	run, err := e.Start(Request{Task: "put two into b", Snapshot: workspace.Snapshot{Root: d.root}, Asker: d.asker})
	require.NoError(d.t, err)
	return run
}

func (d *harness) resume(e *Engine, id string) *execution.Run {
	d.t.Helper()
	run, err := e.Resume(d.t.Context(), id, d.asker, execution.Limits{})
	require.NoError(d.t, err)
	return run
}

func (d *harness) wait(run *execution.Run) execution.Result {
	d.t.Helper()
	result, err := run.Wait(d.t.Context())
	require.NoError(d.t, err)
	return result
}

// calls is how often the model was asked.
func (d *harness) calls() int { return len(d.script.Requests()) }

// only is the one run that another process sees.
func (d *harness) only() history.Run {
	d.t.Helper()
	runs, err := d.open().Runs(d.t.Context(), d.root)
	require.NoError(d.t, err)
	require.Len(d.t, runs, 1)
	return runs[0]
}

// The lines of scripts.
const (
	sayExecutor = `
- {match: {node: orchestrator}, reply: {json: {action: executor, reason: small}}}`
	sayTests = `
- {match: {node: executor, contains: [You write tests]}, reply: {json: {explanation: t, files: [{path: b_test, action: create, content: two}], patch: "", blocked: ""}}}`
	sayWrong = `
- {match: {node: executor, contains: [You implement]}, reply: {json: {explanation: i, files: [{path: b, action: write, content: oops}], patch: "", blocked: ""}}}`
	sayRight = `
- {match: {node: executor, contains: [You implement]}, reply: {json: {explanation: i, files: [{path: b, action: write, content: one two}], patch: "", blocked: ""}}}`
	sayPass = `
- {match: {node: review}, reply: {json: {pass: true, reason: good, issues: []}}}`
	sayGarbage = `
- {match: {node: review}, reply: {text: fine}, times: 3}`
	sayNothing = `
- {match: {node: executor, contains: [You implement]}, fault: {kind: hang}}`
)

// until waits for an event of a kind.
func until(t *testing.T, run *execution.Run, kind string) {
	t.Helper()
	for e := range run.Log.Follow(t.Context(), run.Resumed) {
		if e.Data.Type() == kind {
			return
		}
	}
	t.Fatalf("the run ended without %s", kind)
}

// A run that is stopped in the middle goes on where it was, in another process.
func TestResume_ContinuesAStoppedRun(t *testing.T) {
	t.Parallel()
	for name, c := range testkit.SampleMap(1, map[string]struct {
		stop  func(d *harness, e *Engine, run *execution.Run)
		state event.State
	}{
		"the process ends":          {func(_ *harness, e *Engine, _ *execution.Run) { e.Close() }, event.Interrupted},
		"who followed it goes away": {func(_ *harness, _ *Engine, r *execution.Run) { r.Leave() }, event.Interrupted},
		"cancelled by name":         {func(d *harness, e *Engine, r *execution.Run) { require.NoError(d.t, e.Kill(d.t.Context(), r.ID)) }, event.Cancelled},
		"cancelled":                 {func(_ *harness, _ *Engine, r *execution.Run) { r.Cancel() }, event.Cancelled},
		"cancelled by another process": {func(d *harness, _ *Engine, r *execution.Run) {
			require.NoError(d.t, d.open().Kill(d.t.Context(), r.ID))
		}, event.Cancelled},
	}, "the process ends") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newHarness(t, sayExecutor+sayTests+sayNothing+sayRight+sayPass)
			e := d.open()
			first := d.start(e)
			await(t, first, d.script.Asked(3)) // the last of them hangs
			_, err := d.open().Resume(t.Context(), first.ID, d.asker, execution.Limits{})
			require.ErrorIs(t, err, history.ErrWorkedOn)
			c.stop(d, e, first)
			result := d.wait(first)
			require.Equal(t, c.state, result.State, result.Reason)
			require.Equal(t, c.state, d.only().State)
			told := first.Log.Since(0)
			e.Close()

			other := d.open()
			interrupted, err := other.Interrupted(t.Context(), d.root)
			require.NoError(t, err)
			require.Equal(t, c.state == event.Interrupted, len(interrupted) == 1)
			second := d.resume(other, first.ID)
			result = d.wait(second)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			require.Equal(t, "p-"+strings.TrimPrefix(first.ID, "r-"), result.Proposal.ID)
			require.Equal(t, 5, d.calls(), "four answers, and the one that never came")
			require.NoError(t, d.script.Verify())

			require.Equal(t, len(told), second.Resumed)
			events, err := d.open().Events(t.Context(), first.ID, 0)
			require.NoError(t, err)
			require.Len(t, events, len(second.Log.Since(0)))
			require.IsType(t, event.RunResumed{}, events[second.Resumed].Data)
			for i, e := range events {
				require.Equal(t, i+1, e.Seq)
				require.Equal(t, second.Log.Since(0)[i].Data, e.Data)
			}
			starts := map[string]int{}
			for _, e := range events {
				if d, is := e.Data.(event.GateStarted); is {
					starts[d.Node+d.Gate]++
				}
			}
			for gate, times := range starts {
				require.Equal(t, 1, times, "%s is reported once", gate)
			}
			require.Equal(t, event.Succeeded, d.only().State)
			require.Positive(t, d.only().Tokens)
		})
	}
}

// A run that came to nothing is tried again where it was stuck, and only there.
func TestResume_FailedRunIsTriedAgain(t *testing.T) {
	t.Parallel()
	down := `
- {match: {node: review}, fault: {kind: status, status: 401}}`
	for name, c := range map[string]struct {
		script string
		state  event.State
		asker  event.Asker
		reason string
		calls  int
	}{
		"the attempts were used up": {
			script: sayExecutor + sayTests + sayWrong + sayWrongly + sayCause + sayNever + sayOtherCause + sayRight + sayPass, state: event.Failed, reason: "gave up after 3 attempts", calls: 9,
		},
		"the model refused": {
			script: sayExecutor + sayTests + sayRight + down + sayPass, state: event.Blocked, reason: "Then resume the run", calls: 5,
		},
		"the model talked nonsense": {
			script: sayExecutor + sayTests + sayRight + sayGarbage + sayPass, state: event.Blocked, reason: "the review ended in an error", calls: 7,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newHarness(t, c.script)
			e := d.open()
			first := d.start(e)
			result := d.wait(first)
			require.Equal(t, c.state, result.State, result.Reason)
			require.Contains(t, result.Reason, c.reason)
			require.Equal(t, c.state, d.only().State)

			result = d.wait(d.resume(e, first.ID))
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			require.NotNil(t, result.Proposal)
			require.NoError(t, d.script.Verify())
			require.Equal(t, c.calls, d.calls())
		})
	}
}

// An undecided proposal is offered again, without new requests.
func TestResume_ProposalIsOfferedAgain(t *testing.T) {
	t.Parallel()
	d := newHarness(t, sayExecutor+sayTests+sayRight+sayPass)
	e := d.open()
	first := d.start(e)
	want := d.wait(first)
	e.Close()

	d.model = func(context.Context) (llm.Model, error) { return nil, errors.New("there is no model any more") }
	second := d.resume(d.open(), first.ID)
	got := d.wait(second)
	require.Equal(t, event.Succeeded, got.State, got.Reason)
	require.Equal(t, want.Proposal, got.Proposal)
	require.Equal(t, 4, d.calls())
	kinds := []string{}
	for _, e := range second.Log.Since(second.Resumed) {
		kinds = append(kinds, e.Data.Type())
	}
	require.Equal(t, []string{"run.resumed", "proposal", "run.ended"}, kinds)
}

func TestResume_RefusesUnresumableRuns(t *testing.T) {
	t.Parallel()
	d := newHarness(t, sayExecutor+sayTests+sayRight+sayPass)
	e := d.open()
	for _, id := range []string{"", "r-nothing", "../../etc/passwd", "a/b", strings.Repeat("x", 200)} {
		_, err := e.Resume(t.Context(), id, d.asker, execution.Limits{})
		require.ErrorIs(t, err, history.ErrNoRun, id)
		_, err = e.Events(t.Context(), id, 0)
		require.ErrorIs(t, err, history.ErrNoRun, id)
		require.ErrorIs(t, e.Kill(t.Context(), id), history.ErrNoRun, id)
	}
	run := d.start(e)
	d.wait(run)
	require.ErrorContains(t, e.Kill(t.Context(), run.ID), "has ended")
	e.Close()
	_, err := e.Resume(t.Context(), run.ID, d.asker, execution.Limits{})
	require.ErrorContains(t, err, "shutting down")
}

// A run that was interrupted long ago is not offered by itself.
func TestResume_OldRunsAreNotOffered(t *testing.T) {
	t.Parallel()
	d := newHarness(t, sayExecutor+sayTests+sayNothing)
	clock := time.Now()
	d.now = func() time.Time { return clock }
	e := d.open()
	run := d.start(e)
	until(t, run, "graph")
	e.Close()
	clock = clock.Add(25 * time.Hour)
	other := d.open()
	interrupted, err := other.Interrupted(t.Context(), d.root)
	require.NoError(t, err)
	require.Empty(t, interrupted)
	require.Equal(t, event.Interrupted, d.only().State, "the twin: it is known all the same")
}

// If the folder is no longer trusted, a resumed run asks, and starts nothing.
func TestResume_ResumedRunAsksForTrust(t *testing.T) {
	t.Parallel()
	d := newHarness(t, sayExecutor+sayTests+sayNothing)
	e := d.open()
	run := d.start(e)
	until(t, run, "graph")
	e.Close()
	require.NoError(t, os.RemoveAll(filepath.Join(d.state, "trust")))
	e = New(Options{StateDir: d.state, Chooser: llm.OnlyFrom(d.model)})
	t.Cleanup(e.Close)
	asked := 0
	second, err := e.Resume(t.Context(), run.ID, event.AskerFunc(func(_ context.Context, q event.Question) (event.Answer, error) {
		require.Equal(t, event.AskTrust, q.Kind)
		asked++
		return event.Answer{Choice: "no"}, nil
	}), execution.Limits{})
	require.NoError(t, err)
	result := d.wait(second)
	require.Equal(t, event.Cancelled, result.State)
	require.Equal(t, 1, asked)
}

// await waits until the run has done what the channel says, and fails the test where the run ends without it.
func await(t *testing.T, r *execution.Run, done <-chan struct{}) {
	t.Helper()
	ended := make(chan execution.Result, 1)
	go func() {
		if result, err := r.Wait(t.Context()); err == nil {
			ended <- result
		}
	}()
	select {
	case <-done:
	case result := <-ended:
		require.Fail(t, "the run ended too early", "%s: %s", result.State, result.Reason)
	}
}
