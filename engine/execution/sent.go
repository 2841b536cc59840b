package execution

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/llm"
	"forge/engine/pipeline"
	"forge/engine/state"
	"forge/engine/step"
)

// ErrNotSent says that a run has asked no model where it is looked for.
var ErrNotSent = errors.New("no model was asked there")

// playBack plays the code of the run, and reports nothing.
func (l *Execution) playBack(ctx context.Context, f flow.Flow) error {
	env, err := l.starting(ctx, f)
	if errors.Is(err, flow.ErrNotJournaled) {
		return nil // it did not come further
	}
	if err != nil {
		return err
	}
	env.Emit = func(event.Data) {}
	pipeline.Run(ctx, env, l.params.Pipeline())
	return ctx.Err()
}

// askedCall is a call of a model that a run has begun.
type askedCall struct {
	flow.Call
	step flow.Step
}

// at are the calls at a place, as they were sent.
func (l *Execution) at(all []askedCall, at step.Place, steps []flow.Step) (sent []Preview, err error) {
	for _, c := range all {
		if c.Node != at.Node || c.Attempt != at.Attempt {
			continue
		}
		shown, err := l.sent(c)
		if err != nil {
			return nil, err
		}
		sent = append(sent, shown)
	}
	if len(sent) == 0 {
		return nil, notSent(l.Run.ID, at, steps)
	}
	return sent, nil
}

func (l *Execution) sent(c askedCall) (Preview, error) {
	var call step.ModelCall
	if err := json.Unmarshal(c.Input, &call); err != nil {
		return Preview{}, fmt.Errorf("understand a call of the model: %w", err)
	}
	shown, err := l.shown(c.Node, call)
	var answer llm.Response
	if c.step.Output != nil && json.Unmarshal(c.step.Output, &answer) == nil {
		shown.Model = answer.Model
	}
	return shown, err
}

// notSent says why there is nothing to show, and where there is.
func notSent(id string, at step.Place, steps []flow.Step) error {
	var places []string
	for _, s := range steps {
		if s.Do != step.ActivityModel.Name {
			continue
		}
		if s.Node == at.Node && s.Attempt == at.Attempt {
			return fmt.Errorf("run %s, %s, attempt %d: settings have changed since, so that what was sent cannot be composed again", id, at.Node, at.Attempt)
		}
		if place := fmt.Sprintf("%s/%d", s.Node, s.Attempt); !slices.Contains(places, place) {
			places = append(places, place)
		}
	}
	if places == nil {
		return fmt.Errorf("run %s: %w", id, ErrNotSent)
	}
	return fmt.Errorf("run %s, %s, attempt %d: %w: there is %s", id, at.Node, at.Attempt, ErrNotSent, strings.Join(places, ", "))
}

// Sent are the calls that a run has made at a place, as they were sent; steps are its journal. The code of the run is played from it.
func (h *Host) Sent(ctx context.Context, p *state.Project, kept flow.Run, steps []flow.Step, place step.Place) ([]Preview, error) {
	l, err := h.executionOf(p, kept)
	if err != nil {
		return nil, err
	}
	h.Secrets.Learn(l.params.Root)
	var mu sync.Mutex // guards all
	var all []askedCall
	err = l.playBack(ctx, flow.Replay(kept.ID, steps, func(c flow.Call, s flow.Step) {
		mu.Lock()
		defer mu.Unlock()
		if c.Do == step.ActivityModel.Name {
			all = append(all, askedCall{c, s})
		}
	}))
	if err != nil {
		return nil, err
	}
	return l.at(all, place, steps)
}
