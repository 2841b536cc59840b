package activity

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/llm"
	"forge/engine/step"
)

// coldModel is an adapter whose server loads the model in a minute.
type coldModel struct {
	onWire
	mu     sync.Mutex // guards what follows
	asked  []string   // what it was asked, in order
	loaded bool
	takes  time.Duration
	lookup error // of Loaded
	fails  error // of Warm
}

func (c *coldModel) note(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, what)
}

func (c *coldModel) Loaded(_ context.Context, q llm.Request) (bool, error) {
	c.note(fmt.Sprintf("loaded for %d?", q.MaxTokens))
	return c.loaded, c.lookup
}

func (c *coldModel) Warm(ctx context.Context, q llm.Request) error {
	c.note(fmt.Sprintf("load for %d", q.MaxTokens))
	if err := llm.Pause(ctx, c.takes); err != nil {
		return err
	}
	return c.fails
}

func (c *coldModel) Complete(ctx context.Context, q llm.Request, onDelta func(string)) (llm.Response, error) {
	c.note("complete")
	return c.onWire.Complete(ctx, q, onDelta)
}

func newCold() *coldModel {
	return &coldModel{onWire: onWire{name: "qwen3:8b at 127.0.0.1:11434", answer: answering("ok")}, takes: time.Minute}
}

// warming is a kit that asks the candidate, with its events about warming up.
func warming(c llm.Candidate) (k Kit, told func() []event.Data) {
	var all []event.Data
	k = Kit{
		Chooser: choosing{llm.Choice{Primary: c}}, Models: &Models{}, Loaded: &LoadedModels{},
		Emit: func(d event.Data) { all = append(all, d) },
	}
	return k, func() []event.Data { return all }
}

func local(m llm.Model) llm.Candidate {
	return llm.Candidate{Model: m, Provider: "ollama", ID: "qwen3:8b", Local: true}
}

func callOf(node string) step.ModelCall {
	return step.ModelCall{Name: "a", Request: llm.Request{Node: node, Attempt: 1, MaxTokens: 20}}
}

// The first call of a run waits until its model is loaded, and says so; later ones do not ask.
func TestWarm_ColdModelIsLoadedBeforeItsFirstCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		model := newCold()
		kit, told := warming(local(model))
		for _, node := range []string{"spec", "executor"} {
			answer, err := kit.complete(t.Context(), "k", callOf(node))
			require.NoError(t, err)
			require.Equal(t, "ok", answer.Text)
		}
		require.Equal(t, []string{"loaded for 20?", "load for 20", "complete", "complete"}, model.asked)
		require.Empty(t, cmp.Diff([]event.Data{
			event.ModelWarming{Node: "spec", Attempt: 1, Model: model.name},
			event.ModelWarmed{Node: "spec", Attempt: 1, Model: model.name, Elapsed: time.Minute},
		}, told()))

		kit.Loaded = &LoadedModels{} // the run was resumed
		_, err := kit.complete(t.Context(), "k", callOf("executor"))
		require.NoError(t, err)
		require.Len(t, told(), 4)
	})
}

// No wait is reported if there is none, and no remote server is asked.
func TestWarm_NotLoadedBeforehand(t *testing.T) {
	t.Parallel()
	nobody := func(c *llm.Candidate, _ *coldModel) { c.Model = &onWire{name: "m", answer: answering("ok")} }
	for name, c := range map[string]struct {
		change func(*llm.Candidate, *coldModel)
		asked  []string
	}{
		"it is loaded":                  {func(_ *llm.Candidate, m *coldModel) { m.loaded = true }, []string{"loaded for 20?", "complete"}},
		"the server does not say":       {func(_ *llm.Candidate, m *coldModel) { m.lookup = errors.New("no such path") }, []string{"loaded for 20?", "complete"}},
		"it is elsewhere":               {func(c *llm.Candidate, _ *coldModel) { c.Local = false }, []string{"complete"}},
		"an adapter that loads nothing": {nobody, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := newCold()
			candidate := local(model)
			c.change(&candidate, model)
			kit, told := warming(candidate)
			answer, err := kit.complete(t.Context(), "k", callOf("spec"))
			require.NoError(t, err)
			require.Equal(t, "ok", answer.Text)
			require.Equal(t, c.asked, model.asked)
			require.Empty(t, told())
		})
	}
}

// A model that cannot be loaded beforehand is asked all the same: the call says what is wrong with it.
func TestWarm_ModelThatCannotBeLoadedIsAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		model := newCold()
		model.fails = errors.New("it does not fit into memory")
		kit, told := warming(local(model))
		answer, err := kit.complete(t.Context(), "k", callOf("spec"))
		require.NoError(t, err)
		require.Equal(t, "ok", answer.Text)
		require.Equal(t, "it does not fit into memory", told()[1].(event.ModelWarmed).Failure)
	})
}

// A cancel does not wait until the model is loaded, and the events report the end of the wait.
func TestWarm_CancelEndsTheWaitForAModel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		model := newCold()
		kit, told := warming(local(model))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := kit.complete(ctx, "k", callOf("spec"))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, []string{"loaded for 20?", "load for 20"}, model.asked)
		require.Len(t, told(), 2)
		require.Equal(t, time.Second, told()[1].(event.ModelWarmed).Elapsed)
	})
}

// To load a model costs nothing, and is no attempt of the call: neither the ledger nor a limit of the provider sees it.
func TestWarm_LoadingAModelIsNotBilled(t *testing.T) {
	t.Parallel()
	model := newCold()
	model.takes = 0
	d := newFullKit(t, &model.onWire, nil)
	d.Loaded = &LoadedModels{}
	candidate := local(model)
	candidate.Rate = llm.Rate{PerMinute: 1, Burst: 1} // a second call would wait a minute
	d.Chooser = choosing{llm.Choice{Primary: candidate}}
	_, err := d.ask(t, "k")
	require.NoError(t, err)
	require.Equal(t, []string{"loaded for 20?", "load for 20", "complete"}, model.asked)
	require.EqualValues(t, 15, d.spent(t).Tokens)
	require.Zero(t, d.spent(t).HeldTokens)
}

// A model is not loaded for a call that waits a day for a batch.
func TestWarm_BatchIsNotLoadedFor(t *testing.T) {
	t.Parallel()
	model := newCold()
	a := asking{loaded: &LoadedModels{}}
	candidate := local(model)
	require.IsType(t, warm{}, a.warmed(candidate, model))
	candidate.Batch = noBatches{}
	require.Equal(t, llm.Model(model), a.warmed(candidate, model))
}

type noBatches struct{ llm.Batcher }
