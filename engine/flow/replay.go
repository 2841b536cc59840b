package flow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// ErrNotJournaled says that a journal does not have what the code of a run asks for: it was not done, or with another input.
var ErrNotJournaled = errors.New("the journal does not have it")

// Replay plays a run once more from the steps of its journal: each gives what it gave. Nothing is done and nothing is kept; what
// the journal does not have is ErrNotJournaled. seen is told each call that was begun with the same input, finished or not, and
// may be told of several at once.
func Replay(run string, steps []Step, seen func(Call, Step)) Flow {
	r := &replay{run: run, steps: map[place]Step{}, seen: seen}
	for _, s := range steps { // in the order in which they were begun: the newest generation of each stays
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
		return nil, fmt.Errorf("what step %s of %s, attempt %d, came to: %w", c.Name, c.Node, c.Attempt, ErrNotJournaled)
	}
	return s.result()
}
