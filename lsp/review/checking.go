package review

import (
	"context"
	"fmt"

	"forge/api"
	"forge/engine/checks"
	"forge/engine/gate"
	"forge/engine/proposal"
	"forge/lsp/editor"
	"forge/lsp/transport"
	"forge/patch"
)

// check answers forge.proposal.check.
func (rv *Reviewer) check(ctx context.Context, a *api.CheckArgs) (api.Proposal, error) {
	if rv.gates == nil {
		return api.Proposal{}, editor.ErrNoEngine
	}
	r, err := rv.review(ctx, a.ProposalID)
	if err != nil {
		return api.Proposal{}, err
	}
	if a.What == "accepted" && r.view().TakesOpen() { // what gates find of another part would pass for what the user takes
		return api.Proposal{}, transport.InvalidParams("what: nothing of this proposal is accepted, or your own version of a file is still open. Accept it, or check what is open.")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	mine := &checking{cancel: cancel, ended: make(chan struct{})}
	r.replaceRecheck(nil)
	for other := r.beginChecking(mine); other != nil; other = r.beginChecking(mine) {
		if !other.byItself {
			return api.Proposal{}, transport.InvalidParams("This proposal is being checked already. Wait for the result, or cancel it in the progress.")
		}
		if err := other.end(ctx); err != nil {
			return api.Proposal{}, err
		}
	}
	rv.board.touchReview(r)
	err = rv.try(ctx, r, a.What == "open")
	r.endChecking(mine)
	rv.applier.taken(r)
	rv.board.touchReview(r)
	rv.applier.shelf.keep(ctx, r)
	return rv.wireProposal(r), err
}

// try runs the gates on what the user takes of a proposal, and keeps what they say.
func (rv *Reviewer) try(ctx context.Context, r *Review, open bool) error {
	snapshot := rv.folders.Freeze(r.folder)
	now, err := textsOf(rv.folders, r.folder, r.view())
	if err != nil {
		return err
	}
	p := r.view()
	open = open || p.TakesOpen()
	of := p.Taken(open)
	trial := checks.Trial{Run: p.RunID}
	if open {
		if trial.With, err = p.With(now.lookup); err != nil {
			return err
		}
	}
	if trial.Without, err = p.Without(now.lookup); err != nil {
		return err
	}
	meter := editor.NewMeter()
	if rv.session.Features().Progress {
		rv.work.Run("progress of check "+r.ID, func(ctx context.Context) { meter.Show(ctx, rv.client, checkToken(r), "check: "+p.Title) })
	}
	defer meter.Finish()
	meter.Say("gates")
	reports, err := rv.gates.Try(ctx, snapshot, trial, func(report gate.Report) {
		meter.Say(fmt.Sprintf("%s: %s", report.Gate, report.Verdict))
		rv.board.Replace(r.folder, Source{Name: report.Gate}, placedBefore(trial.With, report.Findings))
	})
	if err == nil {
		r.change(func(p *proposal.Proposal) { p.Check = &proposal.Check{Of: of, Reports: reports} })
	}
	return err
}

// checkToken is the token of the progress of a check.
func checkToken(r *Review) string { return "forge/check/" + r.ID }

// CancelCheck cancels the check whose progress has this token, if there is one.
func (rv *Reviewer) CancelCheck(token string) {
	for _, r := range rv.reviews.list() {
		if checkToken(r) == token {
			r.cancelChecking()
		}
	}
}

// placedBefore moves findings in texts with a change to where they belong in the texts without it.
func placedBefore(with patch.ChangeSet, findings []gate.Finding) []gate.Finding {
	moved := append([]gate.Finding(nil), findings...)
	for i, f := range moved {
		for _, change := range with.Files {
			if change.Path == f.Path {
				moved[i] = before(change, f)
			}
		}
	}
	return moved
}

// checking is a check of a proposal that runs.
type checking struct {
	cancel   context.CancelFunc
	ended    chan struct{}
	byItself bool // the user has not asked for it
}

// end cancels the check, and waits until it has ended. The error is of ctx.
func (c *checking) end(ctx context.Context) error {
	c.cancel()
	select {
	case <-c.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// beginChecking makes a check the one that runs, or returns the one that runs already.
func (r *Review) beginChecking(c *checking) (other *checking) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.checking == nil {
		r.checking = c
		return nil
	}
	return r.checking
}

func (r *Review) endChecking(c *checking) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.checking = nil
	close(c.ended)
}

func (r *Review) cancelChecking() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.checking != nil {
		r.checking.cancel()
	}
}

// isChecking reports whether a check runs, or begins when the user pauses.
func (r *Review) isChecking() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.checking != nil || r.recheck != nil
}
