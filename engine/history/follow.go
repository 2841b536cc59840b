package history

import (
	"context"
	"fmt"
	"iter"
	"time"

	"forge/engine/event"
	"forge/engine/flow"
)

// lookEvery is how often a run of another process is looked at.
const lookEvery = 200 * time.Millisecond

// Events returns what was written of the events of a run after the one numbered since. The error matches ErrNoRun when there is none.
func (h *History) Events(ctx context.Context, id string, since int) ([]event.Event, error) {
	p, _, _, err := h.Locate(ctx, id)
	if err != nil {
		return nil, err
	}
	events, err := ReadEvents(p.EventsFile(id))
	return events[min(max(since, 0), len(events)):], err
}

// Follow yields the events of a run after the one numbered since as they come, in whatever process they happen, until no process works on
// the run any more or ctx ends. An error is the last value; it matches ErrNoRun when there is no such run.
func (h *History) Follow(ctx context.Context, id string, since int) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		look, err := h.follower(ctx, id)
		ticker := time.NewTicker(lookEvery)
		defer ticker.Stop()
		for err == nil {
			var events []event.Event
			var alive bool
			if events, alive, err = look(); err != nil {
				break
			}
			for _, ev := range events {
				if ev.Seq > since && !yield(ev, nil) {
					return
				}
			}
			if !alive {
				return
			}
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return
			}
		}
		if ctx.Err() == nil {
			yield(event.Event{}, err)
		}
	}
}

// follower returns a function that looks at a run again: it returns the events since the last look, and whether a process works on the run.
// It reads the row of the run and what was appended to its events.
func (h *History) follower(ctx context.Context, id string) (func() (events []event.Event, alive bool, err error), error) {
	p, store, _, err := h.Locate(ctx, id)
	if err != nil {
		return nil, err
	}
	reader := eventReader{name: p.EventsFile(id)}
	return func() ([]event.Event, bool, error) {
		// The row is read first: events that come after the last look at the file would be missed.
		run, err := rowOf(ctx, store, id)
		if err != nil {
			return nil, false, err
		}
		alive := run.State == flow.Running && !run.Interrupted
		events, err := reader.read(!alive)
		return events, alive, err
	}, nil
}

// rowOf is the row of a run, without its documents.
func rowOf(ctx context.Context, store *flow.Store, id string) (flow.Run, error) {
	runs, err := store.Runs(ctx, flow.Filter{ID: id})
	if err == nil && len(runs) == 0 {
		err = fmt.Errorf("%w as %q", ErrNoRun, id)
	}
	if err != nil {
		return flow.Run{}, err
	}
	return runs[0], nil
}

// AwaitQuiet waits until no process works on a run any more, and returns how it stands then.
func (h *History) AwaitQuiet(ctx context.Context, id string) (Run, error) {
	p, store, _, err := h.Locate(ctx, id)
	if err != nil {
		return Run{}, err
	}
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		row, err := rowOf(ctx, store, id)
		if err != nil {
			return Run{}, err
		}
		run, err := h.run(ctx, p, store, row)
		if err != nil || !run.Alive() {
			return run, err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return run, ctx.Err()
		}
	}
}
