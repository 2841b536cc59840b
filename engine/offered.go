package engine

import (
	"context"

	"forge/engine/proposal"
)

// Offered gives the proposal of a run that has ended, and the folder that it is for: nothing of the run is done again. The error matches
// ErrNoRun when there is no such run, and ErrNothingOffered when it made nothing or has not ended.
func (e *Engine) Offered(ctx context.Context, id string) (*proposal.Proposal, string, error) {
	p, _, kept, err := e.Locate(ctx, id)
	if err != nil {
		return nil, "", err
	}
	offered, err := e.host.Offered(p, kept)
	return offered, kept.Folder, err
}
