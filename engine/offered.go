package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/proposal"
)

// offers reports whether there is a change to propose: one that the run accepted, or the best of what it made.
func (o outcome) offers() bool {
	return len(o.Changes.Files) > 0 && (o.State == event.Succeeded || o.Unverified != "")
}

// proposal is the proposal of how a run ended, of which these events tell.
func (p params) proposal(run string, o outcome, told []event.Event) *proposal.Proposal {
	checks := slices.Concat(o.checks(), suiteReports(told))
	made := proposal.New("p-"+strings.TrimPrefix(run, "r-"), run, title(p.Task), o.Changes, checks, scope(p.Focus))
	made.Unverified = o.Unverified
	made.Asked(p.Task)
	return made
}

// ErrNothingOffered says that a run has no change that could be applied.
var ErrNothingOffered = errors.New("the run has no change to apply")

// Offered gives the proposal of a run that has ended, and the folder that it is for: nothing of the run is done again. The error matches
// ErrNoRun when there is no such run, and ErrNothingOffered when it made nothing or has not ended.
func (e *Engine) Offered(ctx context.Context, id string) (*proposal.Proposal, string, error) {
	p, _, kept, err := e.Locate(ctx, id)
	if err != nil {
		return nil, "", err
	}
	l, before, err := e.laterLife(p, kept)
	if err != nil {
		return nil, "", err
	}
	if !before.offers() {
		return nil, "", fmt.Errorf("%w: run %s %s", ErrNothingOffered, id, stands(before.State))
	}
	return l.params.proposal(id, before, l.run.Log.Since(0)), kept.Folder, nil
}

// stands says how a run stands that has nothing to apply.
func stands(s event.State) string {
	if s == "" {
		return "has not ended"
	}
	return "is " + string(s)
}
