package history

import (
	"context"
	"encoding/json"
	"time"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/llm"
	"forge/engine/state"
)

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
	Unverified string `json:"unverified,omitempty"`
	Waiting    bool   `json:"waiting,omitempty"` // a question is open
	Batch      string `json:"batch,omitempty"`   // the batch that a call waits for, if any
}

// renewEvery is how old a summary may become while only its time changes.
const renewEvery = time.Second

// Summarizer keeps the summary of a run up to date with its events.
type Summarizer struct {
	Summary  Summary
	standing event.Standing
}

// Summarize creates the summary of a run from its events, in order.
func Summarize(way event.Way, events []event.Event) *Summarizer {
	s := &Summarizer{Summary: Summary{Way: way}, standing: event.Stand(events)}
	s.Summary = s.renewed()
	return s
}

// Add adds one event, and reports whether the summary must be written again.
func (s *Summarizer) Add(e event.Event) (changed bool) {
	s.standing.Add(e)
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
	events, err := ReadEvents(p.EventsFile(run.ID))
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
