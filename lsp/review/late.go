package review

import (
	"context"
	"time"

	"forge/engine/proposal"
)

// lateWithin is how long an edit that a client called applied, and that is nowhere, may still come:
// some editors answer before the user has decided.
const lateWithin = 10 * time.Minute

// awaitLate follows an edit of which nothing was there when the client said "applied". If all of it
// comes after all, its hunks are accepted, and recorded so that they can be undone.
func (a *application) awaitLate(sent []proposal.FilePlan) {
	a.by.work.Run("late edit of "+a.review.ID, func(ctx context.Context) {
		timer := time.NewTimer(lateWithin)
		defer timer.Stop()
		for {
			changed := a.by.changes.wait()
			now, err := textsOf(a.by.folders, a.review.folder, a.review.view())
			if err != nil {
				return
			}
			if asPlanned(sent, now) {
				a.settleLate(ctx, sent)
				return
			}
			select {
			case <-changed:
			case <-timer.C:
				a.drop(ctx)
				return
			case <-ctx.Done():
				return
			}
		}
	})
}

// settleLate settles and records the edit, unless another command has done so meanwhile.
func (a *application) settleLate(ctx context.Context, sent []proposal.FilePlan) {
	select {
	case a.by.turn <- struct{}{}:
		defer func() { <-a.by.turn }()
	case <-ctx.Done():
		return
	}
	if !noneAccepted(a.review.view(), sent) || a.settle(sent) != nil {
		a.drop(ctx) // what is there was recorded by the other command
		return
	}
	a.record(ctx, sent)
	a.by.board.touchReview(a.review)
}

// noneAccepted reports whether no hunk of the plans is in the files.
func noneAccepted(p *proposal.Proposal, sent []proposal.FilePlan) bool {
	accepted := acceptedHunks(p)
	for _, plan := range sent {
		for _, e := range plan.Edits {
			if accepted[e.HunkID] {
				return false
			}
		}
	}
	return true
}
