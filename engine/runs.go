package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/llm"
)

// offeredFor is how long an interrupted run is offered again by itself.
const offeredFor = 24 * time.Hour

// RunInfo is what is kept of a run.
type RunInfo struct {
	ID      string
	Title   string // the task, one line
	Way     event.Way
	Root    string
	State   event.State // Interrupted: nobody alive works on it, and it can be resumed
	Reason  string      // for people
	Started time.Time
	Active  time.Time // when it told something last
	Ended   time.Time // zero until it has
	Tokens  int       // of all requests and answers
	Cached  int       // of them, read from a provider's cache
	Cost    llm.Cost
	Files   int // of its proposal
	// Unverified is what speaks against the proposal, a line each, where the run did not accept it.
	Unverified string
	Base       string // id of the snapshot it works on; empty before there is one
	Batch      string // what it waits for, if that is an answer by batch: "batch batch_1 at openai"
	Foreign    bool   // another version of Forge began it: it is told of, and cannot be resumed
}

// Runs lists what is kept of the runs of a folder, the newest first. No process is started.
func (e *Engine) Runs(ctx context.Context, root string) ([]RunInfo, error) {
	return e.list(ctx, root, flow.Filter{})
}

// Interrupted lists the runs of a folder that nobody alive works on although they have not ended, the newest
// first, if they were started within a day: those that are offered to be resumed.
func (e *Engine) Interrupted(ctx context.Context, root string) ([]RunInfo, error) {
	runs, err := e.list(ctx, root, flow.Filter{Interrupted: true, Since: e.options.Now().Add(-offeredFor)})
	return slices.DeleteFunc(runs, func(r RunInfo) bool { return r.Foreign }), err
}

func (e *Engine) list(ctx context.Context, root string, f flow.Filter) ([]RunInfo, error) {
	p, err := e.project(root)
	if err != nil {
		return nil, err
	}
	store, err := p.known()
	if err != nil || store == nil {
		return nil, err
	}
	runs, err := store.Runs(ctx, f)
	if err != nil {
		return nil, e.inState(fmt.Errorf("list the runs of %s: %w", root, err))
	}
	infos := make([]RunInfo, len(runs))
	for i, r := range runs {
		if infos[i], err = p.info(ctx, store, r); err != nil {
			return nil, err
		}
	}
	return infos, nil
}

// info is a run as people know it.
func (p *project) info(ctx context.Context, store *flow.Store, r flow.Run) (RunInfo, error) {
	info := RunInfo{ID: r.ID, Title: r.Title, Root: r.Folder, Reason: r.Reason, Started: r.Started, Ended: r.Ended, Foreign: r.Kind != kindOfRun}
	o, err := outcomeOf(r.Result)
	if err != nil {
		return info, err
	}
	info.Way = wayOf(r)
	info.State, info.Files, info.Unverified = o.State, len(o.Changes.Files), o.Unverified
	info.Tokens, info.Cached, info.Cost = o.Tokens, o.Cached, o.Cost
	events, err := readEvents(p.events(r.ID))
	if err != nil {
		return info, err
	}
	s := summarize(events)
	info.Base, info.Active = s.base, r.Started
	if len(events) > 0 {
		info.Active = events[len(events)-1].Time
	}
	if len(r.Result) == 0 { // the rest is only known from what was told
		info.Tokens, info.Cached, info.Cost, info.State = s.tokens, s.cached, s.cost, stateOf(r, s)
		info.Batch = s.batch()
	}
	if info.Base == "" {
		info.Base, err = takenFor(ctx, store, r.ID)
	}
	return info, err
}

// wayOf is how a run works; of one whose beginning this version cannot read it is empty.
func wayOf(r flow.Run) event.Way {
	var p params
	if r.Kind != kindOfRun || json.Unmarshal(r.Input, &p) != nil {
		return event.Way{}
	}
	return p.way()
}

// takenFor is the snapshot that was taken for a run which has told nothing of it yet; empty if there is none.
func takenFor(ctx context.Context, store *flow.Store, id string) (string, error) {
	steps, err := store.Steps(ctx, id)
	if err != nil {
		return "", err
	}
	for _, s := range steps {
		var taken snapshotTaken
		if s.Do == activitySnapshot && s.Output != nil {
			err := json.Unmarshal(s.Output, &taken)
			return taken.Base, err
		}
	}
	return "", nil
}

// summary is what the events of a run say of it.
type summary struct {
	base    string
	spent   bool // it was told what was spent
	tokens  int
	cached  int
	cost    llm.Cost
	waiting bool                 // a question is open
	batches map[batchCall]string // what calls wait for
	last    batchCall            // that waited
}

// batchCall is a call that may wait for a batch.
type batchCall struct {
	node    string
	attempt int
}

// batch is what the last of the calls that wait for a batch waits for; empty if none does.
func (s summary) batch() string { return s.batches[s.last] }

func summarize(events []event.Event) (s summary) {
	s.batches = map[batchCall]string{}
	for _, e := range events {
		switch d := e.Data.(type) {
		case event.GraphBuilt:
			s.base = d.Base
		case event.BatchWaiting:
			s.last = batchCall{d.Node, d.Attempt}
			s.batches[s.last] = waitingFor(d)
		case event.ModelCalled:
			delete(s.batches, batchCall{d.Node, d.Attempt})
			if !s.spent { // an older version of Forge told no more
				s.tokens += d.Input + d.Output
			}
		case event.Spent:
			s.spent, s.tokens, s.cached, s.cost = true, int(d.Tokens), d.Usage.CacheRead, d.Cost
		case event.Asked:
			s.waiting = true
		case event.Answered:
			s.waiting = false
		}
	}
	return s
}

func stateOf(r flow.Run, s summary) event.State {
	switch {
	case r.Interrupted:
		return event.Interrupted
	case r.State == flow.Running && s.waiting:
		return event.Waiting
	case r.State == flow.Running:
		return event.Running
	case r.State == flow.Done:
		return event.Succeeded
	}
	return event.State(r.State)
}

// Events gives what a run has told after the event numbered since, of any process and however long ago. The
// error matches ErrNoRun when there is none.
func (e *Engine) Events(ctx context.Context, id string, since int) ([]event.Event, error) {
	if run := e.working(id); run != nil {
		return run.Log.Since(since), nil
	}
	p, _, _, err := e.find(ctx, id)
	if err != nil {
		return nil, err
	}
	events, err := readEvents(p.events(id))
	return events[min(max(since, 0), len(events)):], err
}

// working is a run that is worked on here, or nil. One that has settled is in the store whole, and is worked on no
// more, although its goroutine may not have left yet.
func (e *Engine) working(id string) *Run {
	e.mu.Lock()
	defer e.mu.Unlock()
	if run := e.active[id]; run != nil && !run.settled() {
		return run
	}
	return nil
}

// Pause asks a run to stop for now, in whatever process it is worked on; it is quiet within two seconds. Resume
// takes it up again. The error matches ErrNoRun, or says that the run has ended.
func (e *Engine) Pause(ctx context.Context, id string) error {
	return e.request(ctx, id, flow.RequestPause, (*Run).Pause)
}

// Kill asks a run to stop for good, in whatever process it is worked on; it is quiet within two seconds. The error
// matches ErrNoRun, or says that the run has ended.
func (e *Engine) Kill(ctx context.Context, id string) error {
	return e.request(ctx, id, flow.RequestCancel, (*Run).Cancel)
}

func (e *Engine) request(ctx context.Context, id string, q flow.Request, here func(*Run)) error {
	if run := e.working(id); run != nil {
		here(run)
		return nil
	}
	_, store, _, err := e.find(ctx, id)
	if err != nil {
		return err
	}
	err = store.Request(ctx, id, q)
	if errors.Is(err, flow.ErrEnded) {
		return fmt.Errorf("run %s has ended", id)
	}
	if kept, found := store.Run(ctx, id); err == nil && found == nil && kept.State == flow.Cancelled { // nobody worked on it
		e.abandon(ctx, id)
		e.abandonTask(ctx, kept.Folder, id)
	}
	return e.inState(err)
}
