package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/state"
	"forge/internal/failpoint"
)

// The places around the writing of an event where a process dies in tests.
const (
	FailpointEventTelling = "run.event.before" // an event happened, and its file does not have it
	FailpointEventTold    = "run.event.after"
)

// EventFile appends the events of a run to a file, one line each. Each line is one write, so that it does
// not mix with those of another process. It is not synced: after a power loss the run is replayed from its
// journal, and appends the missing events.
type EventFile struct{ file *os.File }

// OpenEvents opens the file of a run's events, and creates it if needed.
func OpenEvents(name string) (*EventFile, error) {
	file, err := openAppend(name)
	if err != nil {
		return nil, fmt.Errorf("open the events of a run: %w", err)
	}
	return &EventFile{file}, nil
}

// openAppend opens a file of lines for appending, and creates it if needed.
func openAppend(name string) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600) //nolint:gosec // a file of our own
	if err != nil {
		return nil, err
	}
	if err := endLine(file); err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// endLine ends an incomplete line of a killed process, so that only this line is lost.
func endLine(file *os.File) error {
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	last := make([]byte, 1)
	if _, err := file.ReadAt(last, info.Size()-1); err != nil || last[0] == '\n' {
		return err
	}
	_, err = file.Write([]byte{'\n'})
	return err
}

// Append writes an event.
func (f *EventFile) Append(e event.Event) error {
	line, err := event.Marshal(e)
	if err != nil {
		return err
	}
	failpoint.Hit(FailpointEventTelling)
	_, err = f.file.Write(append(line, '\n'))
	failpoint.Hit(FailpointEventTold)
	return err
}

// Close closes the file.
func (f *EventFile) Close() error { return f.file.Close() }

// ReadEvents reads the events of a run, numbered in order. It skips incomplete and damaged lines. A missing file has no events.
func ReadEvents(name string) ([]event.Event, error) {
	r := eventReader{name: name}
	return r.read(true)
}

// eventReader reads the events of a run while its file grows: each call continues after the last one.
type eventReader struct {
	name   string
	offset int64 // of the first unread byte
	seq    int   // of the last event read
}

// read returns the events since the last call. A last line without its end is still being written, unless rest is set.
func (r *eventReader) read(rest bool) (events []event.Event, err error) {
	file, err := os.Open(r.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the events of a run: %w", err)
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.NewSectionReader(file, r.offset, math.MaxInt64-r.offset))
	if err != nil {
		return nil, fmt.Errorf("read the events of a run: %w", err)
	}
	if !rest {
		text = text[:bytes.LastIndexByte(text, '\n')+1]
	}
	r.offset += int64(len(text))
	for line := range bytes.SplitSeq(text, []byte{'\n'}) {
		e, err := event.Unmarshal(line)
		if err != nil {
			continue
		}
		r.seq++
		e.Seq = r.seq
		events = append(events, e)
	}
	return events, nil
}

// Events returns the written events of a run after number since. The error matches ErrNoRun if the run does not exist.
func (h *History) Events(ctx context.Context, id string, since int) ([]event.Event, error) {
	p, _, _, err := h.Locate(ctx, id)
	if err != nil {
		return nil, err
	}
	events, err := ReadEvents(p.EventsFile(id))
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
	reader := eventReader{name: p.EventsFile(id)}
	return func() ([]event.Event, bool, error) {
		// The row is read first: otherwise the last events could be missed.
		run, err := rowOf(ctx, store, id)
		if err != nil {
			return nil, false, err
		}
		alive := run.State == flow.Running && !run.Interrupted
		events, err := reader.read(!alive)
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
