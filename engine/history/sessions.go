package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/memory"
)

// Session is a living process of this machine that works in folders, or on runs.
type Session struct {
	PID     int
	Here    bool // this process
	Since   time.Time
	Folders []string     // absolute paths, sorted
	Runs    []SessionRun // runs that it works on, the newest first
}

// SessionRun is a run that a process works on.
type SessionRun struct {
	ID  string
	Way event.Way
}

// Sessions lists the living processes of this machine that have a folder open or work on a run, the oldest first. It starts no
// process.
func (h *History) Sessions(ctx context.Context) ([]Session, error) {
	found := map[flow.Owner]*Session{}
	sessions, err := h.state.Sessions()
	if err != nil {
		return nil, h.state.Explain(err)
	}
	for _, p := range sessions {
		s := sessionOf(found, p.Owner, p.Since)
		s.Folders = append(s.Folders, p.Folder)
	}
	if err := h.addWorkers(ctx, found); err != nil {
		return nil, err
	}
	list := make([]Session, 0, len(found))
	for _, s := range found {
		slices.Sort(s.Folders)
		s.Folders = slices.Compact(s.Folders)
		list = append(list, *s)
	}
	slices.SortFunc(list, func(a, b Session) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.PID, b.PID)) })
	return list, nil
}

// addWorkers adds the runs whose lease belongs to a living process.
func (h *History) addWorkers(ctx context.Context, found map[flow.Owner]*Session) error {
	stores, err := h.stores()
	if err != nil {
		return err
	}
	for _, store := range stores {
		runs, err := store.Runs(ctx, flow.Filter{States: []flow.State{flow.Running}})
		if err != nil {
			return h.state.Explain(err)
		}
		for _, run := range runs {
			if run.Interrupted || !run.Owner.Alive() {
				continue
			}
			s := sessionOf(found, run.Owner, run.Started)
			s.Runs = append(s.Runs, SessionRun{run.ID, wayOf(run)})
			s.Folders = append(s.Folders, run.Folder)
		}
	}
	return nil
}

// sessionOf returns the session of a process that existed at a time.
func sessionOf(found map[flow.Owner]*Session, owner flow.Owner, at time.Time) *Session {
	s, ok := found[owner]
	if !ok {
		s = &Session{PID: owner.PID, Here: owner == flow.ThisProcess(), Since: at}
		found[owner] = s
	}
	if at.Before(s.Since) {
		s.Since = at
	}
	return s
}

// stores opens the runs of all folders that have any.
func (h *History) stores() ([]*flow.Store, error) {
	projects, err := h.state.Projects()
	if err != nil {
		return nil, err
	}
	var all []*flow.Store
	var errs []error
	for _, p := range projects {
		store, err := p.Known()
		if store != nil {
			all = append(all, store)
		}
		errs = append(errs, err)
	}
	return all, errors.Join(errs...)
}

// Stoppable are runs that can be stopped, in any process.
type Stoppable interface {
	// Find returns the record of a run. The error matches ErrNoRun if the run does not exist.
	Find(ctx context.Context, id string) (Run, error)
	// Kill asks a run to stop permanently, and AwaitQuiet waits until no process works on it.
	Kill(ctx context.Context, id string) error
	AwaitQuiet(ctx context.Context, id string) (Run, error)
}

// BusyError means that a run did not stop in time.
type BusyError struct {
	RunID  string
	State  event.State
	Within time.Duration // the time limit
}

// Error returns the message without advice.
func (e *BusyError) Error() string {
	return fmt.Sprintf("run %s was asked to stop, and is still %s after %s", e.RunID, e.State, e.Within)
}

// Stop stops a run permanently, waits until no process works on it, and returns its state. A run that has ended stays as it is. A
// run that does not stop in time is a *BusyError.
func Stop(ctx context.Context, runs Stoppable, id string, within time.Duration) (Run, error) {
	run, err := runs.Find(ctx, id)
	if err != nil || !run.Alive() && run.State != event.Interrupted && run.State != event.Paused {
		return run, err
	}
	killed := runs.Kill(ctx, id) // it may have just ended, which the next check shows
	wait, done := context.WithTimeout(ctx, within)
	defer done()
	run, err = runs.AwaitQuiet(wait, id)
	if run.Alive() && killed != nil {
		return run, killed
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = &BusyError{RunID: id, State: run.State, Within: within}
	}
	return run, err
}

// Iterations returns the results of the attempts of runs, node by node: of a run, in any folder, or of all runs of the folder if
// none is named; of all nodes if none is named. Runs update them: each attempt is stored as soon as its gates have reported, and
// deleted a day after the run has ended. The error matches ErrNoRun if the run does not exist.
func (h *History) Iterations(ctx context.Context, root, run, node string) ([]memory.Attempt, error) {
	m, err := h.iterated(ctx, root, run)
	if err != nil {
		return nil, err
	}
	return m.Attempts(ctx, run, node)
}

// ResetIterations deletes the attempts of a run, or of one of its nodes, and returns their number. It does not affect a running
// run, which follows its own journal. The error matches ErrNoRun if the run does not exist.
func (h *History) ResetIterations(ctx context.Context, root, run, node string) (int, error) {
	m, err := h.iterated(ctx, root, run)
	if err != nil {
		return 0, err
	}
	return m.ResetAttempts(ctx, run, node)
}

// iterated returns the memory that a run writes to, or that of the folder if no run is named.
func (h *History) iterated(ctx context.Context, root, run string) (*memory.Project, error) {
	if run != "" {
		kept, err := h.Find(ctx, run)
		if err != nil {
			return nil, err
		}
		root = kept.Root
	}
	return h.state.Memory(ctx, root)
}
