package lsp

import (
	"context"
	"strings"

	"forge/api"
	"forge/engine/proposal"
	"forge/internal/inert"
)

// notVerified says of a proposal that its run did not accept it, and why.
func notVerified(p *proposal.Proposal) string {
	return "not verified: " + shorten(inert.Text(strings.Join(strings.Split(p.Unverified, "\n"), "; ")), 400)
}

const answerApplyAnyway = "Apply all the same"

// confirmUnverified has the user confirm a change that its run did not accept: each edit of it where the client can, which confirmEach
// says, else all of it.
func (f *front) confirmUnverified(ctx context.Context, r *review) (confirmEach bool, err error) {
	if f.server.features().annotations {
		return true, nil
	}
	if f.choose(ctx, describeReview(r), answerApplyAnyway) != answerApplyAnyway {
		return false, invalidParams("proposalId: the change is %s. Nothing was applied; with allowUnverified it is", notVerified(r.view()))
	}
	return false, nil
}

// offerKept offers the change of a run that has ended, without doing anything of the run again.
func (f *front) offerKept(ctx context.Context, id string, folder Folder) (api.RunResult, error) {
	p, _, err := f.server.options.Engine.Offered(ctx, id)
	if err != nil {
		return api.RunResult{}, answerable(err)
	}
	run, err := f.server.options.Engine.Find(ctx, id)
	if err != nil {
		return api.RunResult{}, answerable(err)
	}
	f.present(ctx, newReview(folder, p))
	return api.RunResult{RunID: id, Folder: string(folder.URI), State: string(run.State), Reason: run.Reason, ProposalID: p.ID}, nil
}

// present puts a proposal before the user.
func (f *front) present(ctx context.Context, r *review) {
	f.reviews.add(r)
	if ctx.Err() == nil {
		f.offer(r.id)
	}
}
