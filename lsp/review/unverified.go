package review

import (
	"context"
	"strings"

	"forge/engine/proposal"
	"forge/internal/inert"
	"forge/lsp/transport"
)

// notVerified says of a proposal that its run did not accept it, and why.
func notVerified(p *proposal.Proposal) string {
	return "not verified: " + inert.Shorten(inert.Text(strings.Join(strings.Split(p.Unverified, "\n"), "; ")), 400)
}

const answerApplyAnyway = "Apply all the same"

// confirmUnverified has the user confirm a change that its run did not accept: each edit of it where the client can, which confirmEach
// says, else all of it.
func (rv *Reviewer) confirmUnverified(ctx context.Context, r *Review) (confirmEach bool, err error) {
	if rv.session.Features().Annotations {
		return true, nil
	}
	if rv.dialog.Choose(ctx, describeReview(r), answerApplyAnyway) != answerApplyAnyway {
		return false, transport.InvalidParams("proposalId: the change is %s. Nothing was applied; with allowUnverified it is", notVerified(r.view()))
	}
	return false, nil
}
