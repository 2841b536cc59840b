package review

import (
	"context"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/protocol"

	"forge/engine/proposal"
	"forge/patch"
)

// Some clients say "applied" before their texts show it: Emacs reports no change while it waits for the answer to its command, and others
// answer before their user has decided. Forge records what they apply when it appears.

const (
	// lateWithin is how long an edit that a client called applied, and that is nowhere, may still come.
	lateWithin = 10 * time.Minute
	// lateEvery is how often it is looked for, in buffers and on disk.
	lateEvery = 500 * time.Millisecond
	// doubtAfter is when the user reads that it has not come.
	doubtAfter = 10 * time.Second
)

// stateSent is the state of a file whose edit the client called applied, and has not shown yet.
const stateSent = "sent"

const notYet = "the editor said it applied the edit, but it is not in the text yet"

// patience is how long the client may take to show what it says it applied.
func (ap *applier) patience(by way) time.Duration {
	if by.answers && !ap.session.Features().Rich {
		return answerWithin
	}
	return settleWithin
}

// notSeen returns the plans of which nothing is in the files.
func notSeen(p *proposal.Proposal, sent []proposal.FilePlan) []proposal.FilePlan {
	return slices.DeleteFunc(slices.Clone(sent), func(plan proposal.FilePlan) bool { return someAccepted(p, plan) })
}

// someAccepted reports whether a hunk of the plan is in the files.
func someAccepted(p *proposal.Proposal, plan proposal.FilePlan) bool {
	accepted := p.Accepted()
	return slices.ContainsFunc(plan.Edits, func(e proposal.PlannedEdit) bool { return accepted[e.HunkID] })
}

// expected returns the files that were not seen and are likely to come: all of them if nothing was seen, else those that the client had
// to make without an operation for it.
func (a *application) expected(c *composer) map[string]bool {
	paths := map[string]bool{}
	for _, plan := range a.unseen {
		if len(a.unseen) == len(c.sent) || plan.Kind == patch.Create && c.missing(plan.Path) && !c.can.Create {
			paths[plan.Path] = true
		}
	}
	return paths
}

// follow waits for edits of which nothing was there when the client said "applied". Those that come after all are accepted, and recorded
// so that they can be undone.
func (a *application) follow(plans []proposal.FilePlan) {
	if len(plans) == 0 {
		return
	}
	a.review.await(1)
	a.by.work.Run("late edit of "+a.review.ID, func(ctx context.Context) {
		defer a.review.await(-1)
		look := time.NewTicker(lateEvery)
		defer look.Stop()
		defer a.drop(ctx)
		for waited := lateEvery; waited <= lateWithin && len(plans) > 0; waited += lateEvery {
			select {
			case <-look.C:
			case <-ctx.Done():
				return
			}
			if plans = a.takeLate(ctx, plans); waited == doubtAfter && len(plans) > 0 {
				a.doubt(ctx, plans)
			}
		}
	})
}

func (r *Review) await(edits int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.awaited += edits
}

func (r *Review) isAwaiting() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.awaited > 0
}

// takeLate accepts and records the plans that have come, and returns the others.
func (a *application) takeLate(ctx context.Context, plans []proposal.FilePlan) []proposal.FilePlan {
	select {
	case a.by.turn <- struct{}{}:
		defer func() { <-a.by.turn }()
	case <-ctx.Done():
		return nil
	}
	plans = notSeen(a.review.view(), plans) // the others were accepted, and recorded, by another command
	p := a.review.view()
	now, err := textsOf(a.by.folders, a.review.folder, p)
	if err != nil {
		return nil
	}
	for _, plan := range plans {
		p.Settle(plan.Path, plain(now[plan.Path]))
	}
	left := notSeen(p, plans)
	if len(left) == len(plans) {
		return left
	}
	came := slices.DeleteFunc(slices.Clone(plans), func(plan proposal.FilePlan) bool { return !someAccepted(p, plan) })
	if a.settle(came) != nil || a.edit == nil && a.prepare(ctx, p, came) != nil {
		return left
	}
	a.record(ctx, came)
	a.by.changed(ctx, a.review)
	a.sent = nil
	for _, plan := range came {
		delete(a.notes, plan.Path)
	}
	a.by.report(ctx, a.by.outcome(a.review, hunksOf(came), a))
	return left
}

func hunksOf(plans []proposal.FilePlan) (ids []string) {
	for _, plan := range plans {
		for _, e := range plan.Edits {
			ids = append(ids, e.HunkID)
		}
	}
	return ids
}

// doubt reports what has not come.
func (a *application) doubt(ctx context.Context, plans []proposal.FilePlan) {
	if a.by.session.Features().Rich {
		return
	}
	var names []string
	for _, plan := range plans {
		names = append(names, plan.Path)
	}
	a.by.dialog.Notify(ctx, protocol.MessageTypeWarning,
		"Forge: "+strings.Join(names, ", ")+": "+notYet+". Nothing of it counts as accepted; if you see it there, save the file")
}
