package history

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/state"
)

// Events returns the written events of a run after number since. The error matches ErrNoRun if the run does not exist.
func (h *History) Events(ctx context.Context, id string, since int) ([]event.Event, error) {
	p, _, _, err := h.Locate(ctx, id)
	if err != nil {
		return nil, err
	}
	events, err := state.ReadEvents(p.EventsFile(id))
	return events[min(max(since, 0), len(events)):], err
}

// Follow yields the events of a run after number since as they happen, in any process, until no process works on the run or ctx
// ends. It sleeps until the operating system reports a write to the files of the run. An error is the last value; it matches
// ErrNoRun if the run does not exist.
func (h *History) Follow(ctx context.Context, id string, since int) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		look, moved, err := h.follower(ctx, id)
		defer moved.stop()
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
			if !alive || !moved.wait(ctx) {
				return
			}
		}
		if ctx.Err() == nil {
			yield(event.Event{}, err)
		}
	}
}

// follower returns a function that reads a run again: it returns the new events, and whether a process works on the run. It reads
// the row of the run and the appended events; the watch signals possible news.
func (h *History) follower(ctx context.Context, id string) (func() (events []event.Event, alive bool, err error), *watch, error) {
	p, store, _, err := h.Locate(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	moved := watchRun(p, id)
	reader := state.EventReader{Name: p.EventsFile(id)}
	return func() ([]event.Event, bool, error) {
		// The row is read first: otherwise the last events could be missed.
		run, err := rowOf(ctx, store, id)
		if err != nil {
			return nil, false, err
		}
		alive := run.State == flow.Running && !run.Interrupted
		events, err := reader.Read(!alive)
		return events, alive, err
	}, moved, nil
}

// rowOf returns the row of a run, without its documents.
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

// AwaitQuiet waits until no process works on a run, and returns its state.
func (h *History) AwaitQuiet(ctx context.Context, id string) (Run, error) {
	p, store, _, err := h.Locate(ctx, id)
	if err != nil {
		return Run{}, err
	}
	moved := watchRun(p, id)
	defer moved.stop()
	for {
		row, err := rowOf(ctx, store, id)
		if err != nil {
			return Run{}, err
		}
		run, err := h.run(ctx, p, store, row)
		if err != nil || !run.Alive() {
			return run, err
		}
		if !moved.wait(ctx) {
			return run, ctx.Err()
		}
	}
}

const (
	// lookEvery is the interval of checks without reported writes: a process that dies writes nothing.
	lookEvery = 2 * time.Second
	// lookOften replaces lookEvery if the system reports no writes, as on some network file systems.
	lookOften = 200 * time.Millisecond
)

// watch waits for writes to the files of a run: its events, and the database with its row.
type watch struct {
	files   *fsnotify.Watcher // nil if the system reports no writes
	events  string            // the file of the run's events
	store   string            // the database; its journal's name has it as prefix
	ticker  *time.Ticker
	written <-chan fsnotify.Event
	failed  <-chan error
}

// watchRun starts to watch a run.
func watchRun(p *state.Project, id string) *watch { return watchFiles(p.EventsFile(id), p.StoreFile()) }

func watchFiles(events, store string) *watch {
	w := &watch{events: events, store: store}
	files, err := fsnotify.NewWatcher()
	if err == nil {
		for _, dir := range []string{filepath.Dir(w.events), filepath.Dir(w.store)} {
			if err == nil {
				err = files.Add(dir)
			}
		}
		if err != nil {
			_ = files.Close()
		}
	}
	if err != nil {
		w.ticker = time.NewTicker(lookOften)
		return w
	}
	w.files, w.written, w.failed, w.ticker = files, files.Events, files.Errors, time.NewTicker(lookEvery)
	return w
}

// wait waits until the run may have changed. It returns false if ctx ends first.
func (w *watch) wait(ctx context.Context) bool {
	for {
		select {
		case e := <-w.written:
			if e.Name == w.events || strings.HasPrefix(e.Name, w.store) {
				w.drain()
				return true
			}
		case <-w.failed: //nolint:errcheck // writes may have been lost, so check again
			return true
		case <-w.ticker.C:
			return true
		case <-ctx.Done():
			return false
		}
	}
}

// drain discards reported writes: one check covers them all.
func (w *watch) drain() {
	for {
		select {
		case <-w.written:
		default:
			return
		}
	}
}

// stop ends the watch. A nil watch has none.
func (w *watch) stop() {
	if w == nil {
		return
	}
	w.ticker.Stop()
	if w.files != nil {
		_ = w.files.Close()
	}
}
