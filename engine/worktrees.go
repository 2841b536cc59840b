package engine

import (
	"context"
	"fmt"

	"forge/engine/history"
	"forge/engine/shadow"
	"forge/engine/state"
)

// Worktree is a scratch tree on disk.
type Worktree = shadow.Scratch

// worktrees are the scratch trees of folders, of all processes. In a folder that is not trusted, where no process is started, and in one
// without a run there are none.
type worktrees struct {
	state  *state.State
	ledger *history.Ledger
}

// Worktrees lists the scratch trees of a folder.
func (w worktrees) Worktrees(ctx context.Context, root string) ([]Worktree, error) {
	trees, err := w.of(ctx, root)
	if err != nil || trees == nil {
		return nil, err
	}
	all, err := trees.List()
	return all, w.state.Explain(err)
}

// PruneWorktrees removes the scratch trees of a folder that no process uses, and returns their number and their bytes on disk.
func (w worktrees) PruneWorktrees(ctx context.Context, root string) (removed int, bytes int64, err error) {
	trees, err := w.of(ctx, root)
	if err != nil || trees == nil {
		return 0, 0, err
	}
	removed, bytes, err = trees.Prune(ctx)
	return removed, bytes, w.state.Explain(err)
}

// of returns the scratch trees of a folder; nil if there cannot be any.
func (w worktrees) of(ctx context.Context, root string) (*shadow.Trees, error) {
	kept, err := w.state.Usage(ctx, root)
	if err != nil || kept.ShadowBytes == 0 || !kept.Trusted {
		return nil, err
	}
	repo, err := w.ledger.Repo(ctx, root)
	if err != nil {
		return nil, fmt.Errorf("look at the scratch trees of %s: %w", root, err)
	}
	return repo.Trees, nil
}
