package review

import (
	"context"

	"forge/engine/history"
	"forge/engine/proposal"
	"forge/engine/workspace"
	"forge/patch"
)

// Edits records what a client is asked to change, and computes what takes it back.
type Edits interface {
	// Prepare notes what the client is about to be asked to change. What it returns writes into the ledger what the client has really
	// changed, and returns the checkpoint.
	Prepare(ctx context.Context, root string, p *proposal.Proposal, planned patch.ChangeSet) (history.Recording, error)
	// RecoverSeen settles what an earlier server had asked a client to change, and did not see the end of.
	RecoverSeen(ctx context.Context, s workspace.Snapshot) error
	// Tidy finishes what killed processes have left half done in a folder.
	Tidy(ctx context.Context, root string) error
	// Undo returns a proposal that takes back a run or checkpoint, and Redo one that takes back an undo; an empty id is the last.
	Undo(ctx context.Context, root, id string) (*proposal.Proposal, error)
	Redo(ctx context.Context, root, id string) (*proposal.Proposal, error)
}
