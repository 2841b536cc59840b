package history

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"forge/engine/flow"
	"forge/engine/gate"
	"forge/memory"
)

// SpecStanding is a version of the specification of a folder, with the open findings of the last review of a run that used it.
type SpecStanding struct {
	Version  int
	Reviewed bool // a run used it, and its review is readable
	Unmet    int  // errors that the review found
}

// SpecStanding returns the standing of a version; 0 is the latest. Versions with the same text count as one. The error
// matches memory.ErrNotFound or memory.ErrCollected.
func (n *Notes) SpecStanding(ctx context.Context, root string, version int) (SpecStanding, error) {
	m, err := n.options.State.Memory(ctx, root)
	if err != nil {
		return SpecStanding{}, err
	}
	spec, err := m.Spec(ctx, version)
	if err != nil {
		return SpecStanding{}, err
	}
	standing := SpecStanding{Version: spec.Version}
	all, err := m.Specs(ctx)
	if err != nil {
		return standing, err
	}
	same := slices.DeleteFunc(all, func(s memory.Spec) bool { return s.Text != spec.Text || s.Source.Run == "" })
	for _, s := range same { // the latest first
		review, err := n.lastReview(ctx, root, s.Source.Run)
		if err != nil {
			return standing, err
		}
		if review == nil || review.Verdict != gate.Pass && review.Verdict != gate.Fail {
			continue
		}
		standing.Reviewed = true
		for _, f := range review.Findings {
			if f.Severity == gate.SeverityError {
				standing.Unmet++
			}
		}
		break
	}
	return standing, nil
}

// lastReview returns the last report of the reviewer of a run that has ended; nil if no reviewer was asked, or the run was deleted.
func (n *Notes) lastReview(ctx context.Context, root, id string) (*gate.Report, error) {
	p, err := n.options.State.Project(root)
	if err != nil {
		return nil, err
	}
	store, err := p.Known()
	if err != nil || store == nil {
		return nil, err
	}
	kept, err := store.Run(ctx, id)
	if errors.Is(err, flow.ErrNoRun) {
		return nil, nil
	}
	if err != nil {
		return nil, n.options.State.Explain(fmt.Errorf("read the review of run %s: %w", id, err))
	}
	return n.options.Review(kept.Result)
}
