package history

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"forge/engine/event"
	"forge/engine/flow"
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
