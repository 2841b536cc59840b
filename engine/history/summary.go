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

// Summary is what lists show of a run. It stands in a column of the run, so that a list reads neither journals nor events. Its names are a
// file format.
type Summary struct {
	Way    event.Way   `json:"way"`
	Base   string      `json:"base,omitempty"`  // id of the snapshot that it works on
	Active time.Time   `json:"active,omitzero"` // of its last event, give or take a second
	State  event.State `json:"state,omitempty"` // how it ended; empty until it has
	Tokens int         `json:"tokens,omitempty"`
	Cached int         `json:"cached,omitempty"`
	Cost   llm.Cost    `json:"cost,omitzero"`
	Files  int         `json:"files,omitempty"` // of its proposal
	// Unverified is that of pipeline.Result.
	Unverified string `json:"unverified,omitempty"`
	Waiting    bool   `json:"waiting,omitempty"` // a question is open
	Batch      string `json:"batch,omitempty"`   // what a call waits for, if that is an answer by batch
}

// renewEvery is how old a summary may become while events happen that change nothing else of it.
const renewEvery = time.Second

// Summarizer folds the events of a run into its summary.
type Summarizer struct {
	Summary Summary
	spent   bool                 // there was an event of what was spent
	batches map[batchCall]string // what calls wait for
	last    batchCall            // that waited
}

// batchCall is a call that may wait for a batch.
type batchCall struct {
	node    string
	attempt int
}

// Summarize folds events, in order.
func Summarize(way event.Way, events []event.Event) *Summarizer {
	s := &Summarizer{Summary: Summary{Way: way}}
	for _, e := range events {
		s.Add(e)
	}
	if len(events) > 0 {
		s.Summary.Active = events[len(events)-1].Time
	}
	return s
}

// Add folds one event, and reports whether the summary differs enough to be written anew.
func (s *Summarizer) Add(e event.Event) (changed bool) {
	changed = true
	switch d := e.Data.(type) {
	case event.GraphBuilt:
		s.Summary.Base = d.Base
	case event.BatchWaiting:
		if s.batches == nil {
			s.batches = map[batchCall]string{}
		}
		s.last = batchCall{d.Node, d.Attempt}
		s.batches[s.last] = waitingFor(d)
	case event.ModelCalled:
		delete(s.batches, batchCall{d.Node, d.Attempt})
		if !s.spent { // an older version of Forge reported no more
			s.Summary.Tokens += d.Input + d.Output
		}
	case event.Spent:
		s.spent, s.Summary.Tokens, s.Summary.Cached, s.Summary.Cost = true, int(d.Tokens), d.Usage.CacheRead, d.Cost
	case event.Asked:
		s.Summary.Waiting = true
	case event.Answered:
		s.Summary.Waiting = false
	default:
		changed = e.Time.Sub(s.Summary.Active) >= renewEvery
	}
	s.Summary.Batch = s.batches[s.last]
	if changed {
		s.Summary.Active = e.Time
	}
	return changed
}

// waitingFor says which batch a run waits for, in a few words.
func waitingFor(w event.BatchWaiting) string {
	text := "batch"
	if w.Batch != "" {
		text += " " + w.Batch
	}
	return text + " at " + w.Provider
}

// summaryOf is the summary of a run. One that an older version of Forge has left without any is made of its events, and written if the run
// has ended.
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
		_ = store.Summarize(ctx, run.ID, text) // or the next list makes it again
	}
	return s, nil
}

// wayOf is how a run of a list works; empty where it has no summary yet.
func wayOf(r flow.Run) event.Way {
	var s Summary
	if json.Unmarshal(r.Summary, &s) != nil {
		return event.Way{}
	}
	return s.Way
}
