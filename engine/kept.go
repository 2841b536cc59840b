package engine

import (
	"context"
	"iter"
	"time"

	"forge/engine/event"
)

// Find tells what is kept of a run of any folder. The error matches ErrNoRun when there is none.
func (e *Engine) Find(ctx context.Context, id string) (RunInfo, error) {
	p, store, kept, err := e.find(ctx, id)
	if err != nil {
		return RunInfo{}, err
	}
	return p.info(ctx, store, kept)
}

// Alive reports whether a living process works on the run, or waits in it for a person.
func (i RunInfo) Alive() bool { return i.State == event.Running || i.State == event.Waiting }

// Resumable lists the runs of a folder that a person may want to take up again, the newest first: those that were
// cut off or paused, however long ago; and, of the last day, those that came to nothing, and those of whose
// proposal nothing was accepted.
func (e *Engine) Resumable(ctx context.Context, root string) ([]RunInfo, error) {
	all, err := e.Runs(ctx, root)
	if err != nil {
		return nil, err
	}
	var some []RunInfo
	var settled map[string]bool // known when it was needed
	for _, run := range all {
		if run.Foreign {
			continue
		}
		recent := e.options.Now().Sub(run.Started) < offeredFor
		switch run.State {
		case event.Interrupted, event.Paused:
			some = append(some, run)
		case event.Failed, event.Blocked:
			if recent {
				some = append(some, run)
			}
		case event.Succeeded:
			if !recent || run.Files == 0 {
				continue
			}
			if settled == nil {
				if settled, err = e.accepted(ctx, root); err != nil {
					return nil, err
				}
			}
			if !settled[run.ID] {
				some = append(some, run)
			}
		case event.Running, event.Waiting, event.Cancelled: // somebody works on it, or wants it no more
		}
	}
	return some, nil
}

// accepted are the runs of a folder of whose proposals something was accepted.
func (e *Engine) accepted(ctx context.Context, root string) (map[string]bool, error) {
	entries, err := e.Checkpoints(ctx, root)
	runs := map[string]bool{}
	for _, entry := range entries {
		runs[entry.RunID] = true
	}
	return runs, err
}

// lookAgain is how often what another process does is looked at.
const lookAgain = 200 * time.Millisecond

// Follow gives the events of a run after the one numbered since as they come, in whatever process it is worked on,
// until nobody works on it any more or ctx ends. An error is the last thing it gives; it matches ErrNoRun when there
// is no such run.
func (e *Engine) Follow(ctx context.Context, id string, since int) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		ticker := time.NewTicker(lookAgain)
		defer ticker.Stop()
		for {
			// Whether it is alive is asked first: what comes after the last look would be missed.
			run, err := e.Find(ctx, id)
			var events []event.Event
			if err == nil {
				events, err = e.Events(ctx, id, since)
			}
			for _, ev := range events {
				since = ev.Seq
				if !yield(ev, nil) {
					return
				}
			}
			if err != nil && ctx.Err() == nil {
				yield(event.Event{}, err)
			}
			if err != nil || !run.Alive() {
				return
			}
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return
			}
		}
	}
}

// AwaitQuiet waits until nobody works on a run any more, and tells how it stands then.
func (e *Engine) AwaitQuiet(ctx context.Context, id string) (RunInfo, error) {
	ticker := time.NewTicker(lookAgain)
	defer ticker.Stop()
	for {
		run, err := e.Find(ctx, id)
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
