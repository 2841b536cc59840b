package history

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"forge/engine/state"
)

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
