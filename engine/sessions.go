package engine

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"forge/engine/event"
	"forge/engine/flow"
)

// Session is a living process of this machine that works in folders, or on runs.
type Session struct {
	PID     int
	Here    bool // it is this process
	Since   time.Time
	Folders []string     // absolute paths, sorted
	Runs    []SessionRun // those it works on, the newest first
}

// SessionRun is a run that a process works on.
type SessionRun struct {
	ID  string
	Way event.Way
}

// Sessions lists the living processes of this machine that have a folder open or work on a run, those first that
// have been there longest. No process is started.
func (e *Engine) Sessions(ctx context.Context) ([]Session, error) {
	found := map[flow.Owner]*Session{}
	presences, err := e.readPresences()
	if err != nil {
		return nil, e.inState(err)
	}
	for _, p := range presences {
		s := meet(found, p.Owner, p.Since)
		s.Folders = append(s.Folders, p.Folder)
	}
	if err := e.meetWorkers(ctx, found); err != nil {
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

// meetWorkers adds the runs that living processes have a lease of.
func (e *Engine) meetWorkers(ctx context.Context, found map[flow.Owner]*Session) error {
	stores, err := e.stores()
	if err != nil {
		return err
	}
	for _, store := range stores {
		runs, err := store.Runs(ctx, flow.Filter{States: []flow.State{flow.Running}})
		if err != nil {
			return e.inState(err)
		}
		for _, run := range runs {
			if run.Interrupted || !run.Owner.Alive() {
				continue
			}
			s := meet(found, run.Owner, run.Started)
			s.Runs = append(s.Runs, SessionRun{run.ID, wayOf(run)})
			s.Folders = append(s.Folders, run.Folder)
		}
	}
	return nil
}

// meet gives the session of a process, which was there at a time.
func meet(found map[flow.Owner]*Session, owner flow.Owner, at time.Time) *Session {
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
func (e *Engine) stores() ([]*flow.Store, error) {
	dirs, err := filepath.Glob(filepath.Join(e.options.StateDir, "projects", "*"))
	if err != nil {
		return nil, err
	}
	var all []*flow.Store
	var errs []error
	for _, dir := range dirs {
		p, err := e.projectIn(dir)
		if err != nil {
			return nil, err
		}
		store, err := p.known()
		if store != nil {
			all = append(all, store)
		}
		errs = append(errs, err)
	}
	return all, errors.Join(errs...)
}
