// Package history is what Forge keeps of runs, of any process and age: lists, events, and following a run that another process
// works on. It plays no run; engine does that.
//
// # Notes
//
// Notes are the parts of a folder's memory that users read and edit: entries, specifications and tasks. Runs write to the same
// memory.
//
// # Conversations
//
// A run is a turn of a conversation, which a later run of any front can continue. Each is a file of lines.
//
// # The ledger
//
// Ledger records the changes that users accepted in their folders: each written change is an entry, which can be undone, and an
// undo redone. It writes the user's files for fronts without an editor, and settles changes that a killed process left unfinished.
//
// Invariant: a change is written to the journal of its folder (workspace.Journal) before the first file is touched, or before an
// editor is asked to change it; the ledger's entry replaces the note. So whenever the process dies, the change is in the ledger or
// no file has changed.
package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/llm"
	"forge/engine/proposal"
	"forge/engine/state"
)

// ErrNoRun means that no run has the given id.
var ErrNoRun = errors.New("there is no such run")

// ErrWorkedOn means that a living process works on the run.
var ErrWorkedOn = errors.New("the run is being worked on")

// offeredFor is how long Forge offers to resume an interrupted run.
const offeredFor = 24 * time.Hour

// Code is what history needs to know about the code that plays runs.
type Code struct {
	// Kind is the kind of runs that this version of Forge plays; runs of other kinds can be shown, but not resumed.
	Kind string
	// Summarize creates the missing summary of a run of an older version of Forge.
	Summarize func(run flow.Run, events []event.Event) (Summary, error)
	// Snapshot returns the snapshot of a run from its journal, or "".
	Snapshot func(steps []flow.Step) (string, error)
}

// History is what Forge keeps of the runs of every folder. It keeps no files open itself.
type History struct {
	state  *state.State
	ledger *Ledger
	code   Code
}

// New returns the history that a state holds.
func New(s *state.State, l *Ledger, c Code) *History {
	return &History{s, l, c}
}

// Run is the record of a run.
type Run struct {
	ID      string
	Title   string // the task, one line
	Way     event.Way
	Root    string
	State   event.State // Interrupted: no living process works on it, and it can be resumed
	Reason  string      // for users
	Started time.Time
	Active  time.Time // of its last event
	Ended   time.Time // zero until it has
	Tokens  int       // of all requests and answers
	Cached  int       // those of them read from a provider's cache
	Cost    llm.Cost
	Files   int // of its proposal
	// Proposal is the id of its proposal; empty if it has none.
	Proposal string
	// Unverified lists the objections to the proposal, one per line, if the run did not accept it.
	Unverified string
	Decision   Decision // what has become of its proposal
	Base       string   // id of the snapshot it works on; empty before there is one
	Batch      string   // the batch that it waits for, if any: "batch batch_1 at openai"
	Thread     string   // the conversation that it belongs to; empty is none
	Foreign    bool     // another version of Forge began it: it can be shown, but not resumed
	// Plan is what its plan took, if it succeeded without an interruption.
	Plan event.PlanEffort
}

// Alive reports whether a living process works on the run, or waits for the user in it.
func (r Run) Alive() bool { return r.State == event.Running || r.State == event.Waiting }

// Resumable reports whether a run was interrupted, and this version of Forge can resume it.
func (r Run) Resumable() bool {
	return r.State == event.Interrupted && !r.Foreign
}

// Runs lists the runs of a folder, the newest first. It starts no process.
func (h *History) Runs(ctx context.Context, root string) ([]Run, error) {
	return h.list(ctx, root, flow.Filter{})
}

// Interrupted lists the runs of a folder that Forge offers to resume, the newest first: those that began within a day, have not
// ended, and have no living process.
func (h *History) Interrupted(ctx context.Context, root string) ([]Run, error) {
	runs, err := h.list(ctx, root, flow.Filter{Interrupted: true, Since: h.state.Now().Add(-offeredFor)})
	return slices.DeleteFunc(runs, func(r Run) bool { return r.Foreign }), err
}

func (h *History) list(ctx context.Context, root string, f flow.Filter) ([]Run, error) {
	p, err := h.state.Project(root)
	if err != nil {
		return nil, err
	}
	store, err := p.Known()
	if err != nil || store == nil {
		return nil, err
	}
	listed, err := store.Runs(ctx, f)
	if err != nil {
		return nil, h.state.Explain(fmt.Errorf("list the runs of %s: %w", root, err))
	}
	runs := make([]Run, len(listed))
	for i, r := range listed {
		if runs[i], err = h.run(ctx, p, store, r); err != nil {
			return nil, err
		}
	}
	return runs, nil
}

// Resumable lists the runs of a folder that the user may want to resume, the newest first: all interrupted ones; and, of
// the last day, failed and blocked ones, and those whose proposal was not accepted at all.
func (h *History) Resumable(ctx context.Context, root string) ([]Run, error) {
	all, err := h.Runs(ctx, root)
	if err != nil {
		return nil, err
	}
	var some []Run
	var accepted map[string]bool // nil until it is needed
	for _, run := range all {
		recent := h.state.Now().Sub(run.Started) < offeredFor
		switch {
		case run.Foreign:
			continue
		case run.Resumable(), recent && (run.State == event.Failed || run.State == event.Blocked):
			some = append(some, run)
		case recent && run.State == event.Succeeded && run.Files > 0:
			if accepted == nil {
				if accepted, err = h.accepted(ctx, root); err != nil {
					return nil, err
				}
			}
			if !accepted[run.ID] {
				some = append(some, run)
			}
		}
	}
	return some, nil
}

// accepted returns the runs of a folder with accepted changes.
func (h *History) accepted(ctx context.Context, root string) (map[string]bool, error) {
	entries, err := h.ledger.Checkpoints(ctx, root)
	runs := map[string]bool{}
	for _, entry := range entries {
		runs[entry.RunID] = true
	}
	return runs, err
}

// Find returns the record of a run of any folder. The error matches ErrNoRun if the run does not exist.
func (h *History) Find(ctx context.Context, id string) (Run, error) {
	p, store, row, err := h.Locate(ctx, id)
	if err != nil {
		return Run{}, err
	}
	return h.run(ctx, p, store, row)
}

// Locate finds a run in any folder: the folder's project, its store, and the run with its documents. The error matches ErrNoRun if
// the run does not exist.
func (h *History) Locate(ctx context.Context, id string) (*state.Project, *flow.Store, flow.Run, error) {
	missing := fmt.Errorf("%w as %q", ErrNoRun, id)
	if !state.ValidID(id) {
		return nil, nil, flow.Run{}, missing
	}
	projects, err := h.state.Projects()
	if err != nil {
		return nil, nil, flow.Run{}, err
	}
	for _, p := range likelyFirst(projects, id) {
		store, err := p.Known()
		if err != nil {
			return nil, nil, flow.Run{}, err
		}
		if store == nil {
			continue
		}
		run, err := store.Run(ctx, id)
		if !errors.Is(err, flow.ErrNoRun) {
			return p, store, run, h.state.Explain(err)
		}
	}
	return nil, nil, flow.Run{}, missing
}

// likelyFirst moves the projects that have events of a run to the front, so that the others need not be opened.
func likelyFirst(projects []*state.Project, id string) []*state.Project {
	var likely, others []*state.Project
	for _, p := range projects {
		if _, err := os.Stat(p.EventsFile(id)); err == nil {
			likely = append(likely, p)
		} else {
			others = append(others, p)
		}
	}
	return append(likely, others...)
}

// run converts a row of the store to the form for users.
func (h *History) run(ctx context.Context, p *state.Project, store *flow.Store, r flow.Run) (Run, error) {
	s, err := h.summaryOf(ctx, p, store, r)
	if err != nil {
		return Run{}, err
	}
	run := Run{
		ID: r.ID, Title: r.Title, Way: s.Way, Root: r.Folder, State: stateOf(r, s), Reason: r.Reason, Started: r.Started, Active: s.Active, Ended: r.Ended,
		Tokens: s.Tokens, Cached: s.Cached, Cost: s.Cost, Files: s.Files, Unverified: s.Unverified, Decision: s.Decision, Base: s.Base, Batch: s.Batch, Thread: s.Thread, Plan: s.Plan, Foreign: r.Kind != h.code.Kind,
	}
	if s.Files > 0 {
		run.Proposal = proposal.IDOf(r.ID)
	}
	if run.Active.IsZero() {
		run.Active = r.Started
	}
	if run.Base == "" {
		steps, err := store.Steps(ctx, r.ID)
		if err != nil {
			return run, err
		}
		run.Base, err = h.code.Snapshot(steps)
		return run, err
	}
	return run, nil
}

// stateOf returns the state of a run.
func stateOf(r flow.Run, s Summary) event.State {
	switch {
	case r.Interrupted:
		return event.Interrupted
	case r.State == flow.Running && s.Waiting:
		return event.Waiting
	case r.State == flow.Failed && s.State != "": // or blocked
		return s.State
	case r.State == flow.Done:
		return event.Succeeded
	}
	return event.State(r.State)
}

// Summary is what lists show of a run. It is stored in a column of the run, so that a list reads neither journals nor events. Its
// names are a file format.
type Summary struct {
	Way    event.Way   `json:"way"`
	Base   string      `json:"base,omitempty"`  // id of its snapshot
	Active time.Time   `json:"active,omitzero"` // time of its last event, to within a second
	State  event.State `json:"state,omitempty"` // its final state; empty before
	Tokens int         `json:"tokens,omitempty"`
	Cached int         `json:"cached,omitempty"`
	Cost   llm.Cost    `json:"cost,omitzero"`
	Files  int         `json:"files,omitempty"` // of its proposal
	// Unverified is that of pipeline.Result.
	Unverified string   `json:"unverified,omitempty"`
	Decision   Decision `json:"decision,omitempty"`
	Waiting    bool     `json:"waiting,omitempty"` // a question is open
	Batch      string   `json:"batch,omitempty"`   // the batch that a call waits for, if any
	Thread     string   `json:"thread,omitempty"`
	// Plan is what the run's plan took; zero without a plan, and for a run that was interrupted or did not succeed.
	Plan event.PlanEffort `json:"plan,omitzero"`
}

// renewEvery is how old a summary may become while only its time changes.
const renewEvery = time.Second

// Summarizer keeps the summary of a run up to date with its events.
type Summarizer struct {
	Summary  Summary
	standing event.Standing
	meter    event.PlanMeter
}

// Summarize creates the summary of a run from its events, in order.
func Summarize(way event.Way, events []event.Event) *Summarizer {
	s := &Summarizer{Summary: Summary{Way: way}, standing: event.Stand(events)}
	for _, e := range events {
		s.meter.Add(e)
	}
	s.Summary = s.renewed()
	return s
}

// Add adds one event, and reports whether the summary must be written again.
func (s *Summarizer) Add(e event.Event) (changed bool) {
	s.standing.Add(e)
	s.meter.Add(e)
	next := s.renewed()
	if changed = next.Active.Sub(s.Summary.Active) >= renewEvery; !changed {
		next.Active = s.Summary.Active
		changed = next != s.Summary
		next.Active = e.Time
	}
	if changed {
		s.Summary = next
	}
	return changed
}

// renewed returns the current summary of the run.
func (s *Summarizer) renewed() Summary {
	next, now := s.Summary, &s.standing
	_, next.Waiting = now.Open()
	next.Base, next.Active, next.Batch = now.Base, now.Active, ""
	next.Tokens, next.Cached, next.Cost = int(now.Spent.Tokens), now.Spent.Usage.CacheRead, now.Spent.Cost
	if w, waits := now.Batch(); waits {
		next.Batch = w.String()
	}
	next.Plan = s.meter.Took()
	return next
}

// summaryOf returns the summary of a run. A missing one, of an older version of Forge, is created from its events, and written if
// the run has ended.
func (h *History) summaryOf(ctx context.Context, p *state.Project, store *flow.Store, listed flow.Run) (s Summary, err error) {
	if len(listed.Summary) > 0 {
		err = json.Unmarshal(listed.Summary, &s)
		return s, err
	}
	run, err := store.Run(ctx, listed.ID)
	if err != nil {
		return s, err
	}
	events, err := state.ReadEvents(p.EventsFile(run.ID))
	if err != nil {
		return s, err
	}
	if s, err = h.code.Summarize(run, events); err != nil {
		return s, err
	}
	if text, err := json.Marshal(s); err == nil && len(run.Result) > 0 {
		_ = store.Summarize(ctx, run.ID, text) // or the next list recreates it
	}
	return s, nil
}

// wayOf returns the way of a listed run; empty without a summary.
func wayOf(r flow.Run) event.Way {
	var s Summary
	if json.Unmarshal(r.Summary, &s) != nil {
		return event.Way{}
	}
	return s.Way
}
