package flow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// ErrNotJournaled means that a journal does not have a step that the code of a run asks for, or has it with another input.
var ErrNotJournaled = errors.New("it is not in the journal")

// Replay replays a run from the steps of its journal: each returns its journaled result. Nothing is performed or kept; a missing
// step is ErrNotJournaled. seen receives each call that was begun with the same input, finished or not, and may be called
// concurrently.
func Replay(run string, steps []Step, seen func(Call, Step)) Flow {
	r := &replay{run: run, steps: map[place]Step{}, seen: seen}
	for _, s := range steps { // in the order of their start: the newest generation of each stays
		r.steps[s.place()] = s
	}
	return r
}

type replay struct {
	run   string
	steps map[place]Step
	seen  func(Call, Step)
}

func (r *replay) RunID() string { return r.run }

func (r *replay) Do(_ context.Context, c Call) (json.RawMessage, error) { return r.step(KindDo, c) }

func (r *replay) Wait(_ context.Context, c Call) (json.RawMessage, error) { return r.step(KindWait, c) }

func (r *replay) step(kind Kind, c Call) (json.RawMessage, error) {
	s, begun := r.steps[place{c.Node, c.Attempt, c.Name}]
	if !begun || s.InputHash != inputHash(kind, c) {
		return nil, fmt.Errorf("step %s of %s, attempt %d: %w", c.Name, c.Node, c.Attempt, ErrNotJournaled)
	}
	r.seen(c, s)
	if !s.Finished() || s.Forgotten {
		return nil, fmt.Errorf("the result of step %s of %s, attempt %d: %w", c.Name, c.Node, c.Attempt, ErrNotJournaled)
	}
	return s.result()
}
