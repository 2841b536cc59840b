package lsp

import (
	"context"
	"strings"

	"forge/lsp/transport"

	"forge/engine/proposal"
	"forge/internal/inert"
)

// notVerified says of a proposal that its run did not accept it, and why.
func notVerified(p *proposal.Proposal) string {
	return "not verified: " + inert.Shorten(inert.Text(strings.Join(strings.Split(p.Unverified, "\n"), "; ")), 400)
}

const answerApplyAnyway = "Apply all the same"

// confirmUnverified has the user confirm a change that its run did not accept: each edit of it where the client can, which confirmEach
// says, else all of it.
func (rv *reviewer) confirmUnverified(ctx context.Context, r *review) (confirmEach bool, err error) {
	if rv.session.features().annotations {
		return true, nil
	}
	if rv.dialog.choose(ctx, describeReview(r), answerApplyAnyway) != answerApplyAnyway {
		return false, transport.InvalidParams("proposalId: the change is %s. Nothing was applied; with allowUnverified it is", notVerified(r.view()))
	}
	return false, nil
}
