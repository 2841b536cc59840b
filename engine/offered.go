package engine

import (
	"context"

	"forge/engine/proposal"
)

// Offered returns the proposal of a run that has ended, and its folder. It repeats nothing of the run. The error matches ErrNoRun
// if the run does not exist, and ErrNothingOffered if it made no proposal or has not ended.
func (e *Engine) Offered(ctx context.Context, id string) (*proposal.Proposal, string, error) {
	p, _, kept, err := e.Locate(ctx, id)
	if err != nil {
		return nil, "", err
	}
	offered, err := e.host.Offered(p, kept)
	return offered, kept.Folder, err
}
