package execution

import (
	"context"
	"encoding/json"
	"fmt"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/gate"
	"forge/engine/history"
)

// Code is what history has to know of how this package plays runs.
var Code = history.Code{Kind: KindOfRun, Summarize: summarizeOlder, Snapshot: snapshotOf}

// summarizeOlder is the summary of a run that has none, made of its events and its result.
func summarizeOlder(r flow.Run, events []event.Event) (history.Summary, error) {
	s := history.Summarize(wayOf(r), events).Summary
	if len(r.Result) == 0 {
		return s, nil
	}
	o, err := outcomeOf(r.Result)
	return o.summary(s), err
}

// wayOf is how a run works; of one whose input this version cannot read it is empty.
func wayOf(r flow.Run) event.Way {
	var p Params
	if r.Kind != KindOfRun || json.Unmarshal(r.Input, &p) != nil {
		return event.Way{}
	}
	return p.Way()
}

// snapshotOf is the snapshot that was taken for a run.
func snapshotOf(steps []flow.Step) (string, error) {
	for _, s := range steps {
		var taken snapshotTaken
		if s.Do == activitySnapshot.Name && s.Output != nil {
			err := json.Unmarshal(s.Output, &taken)
			return taken.Base, err
		}
	}
	return "", nil
}

// ReviewOf is what the reviewer of a run said last; nil where there was no review.
func ReviewOf(result json.RawMessage) (*gate.Report, error) {
	o, err := outcomeOf(result)
	return o.Review, err
}

// summary adds to the summary of a run how it ended.
func (o Outcome) summary(s history.Summary) history.Summary {
	s.State, s.Files, s.Unverified = o.State, len(o.Changes.Files), o.Unverified
	s.Tokens, s.Cached, s.Cost = o.Tokens, o.Cached, o.Cost
	s.Waiting, s.Batch = false, ""
	return s
}

// summarize keeps a summary with the run.
func (l *Execution) summarize(ctx context.Context, s history.Summary) error {
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("summarize run %s: %w", l.Run.ID, err)
	}
	return l.lease.Summarize(context.WithoutCancel(ctx), l.host.Secrets.Document(text))
}
