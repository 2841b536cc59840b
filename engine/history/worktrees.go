package history

import (
	"context"
	"fmt"

	"forge/engine/shadow"
)

// Worktree is a scratch tree on disk.
type Worktree = shadow.Scratch

// Worktrees lists the scratch trees of a folder, of all processes. In a folder that is not trusted, where no process is started, and in
// one without a run there are none.
func (h *History) Worktrees(ctx context.Context, root string) ([]Worktree, error) {
	trees, err := treesOf(ctx, h, root)
	if err != nil || trees == nil {
		return nil, err
	}
	all, err := trees.List()
	return all, h.state.Explain(err)
}

// PruneWorktrees removes the scratch trees of a folder that no process uses, and returns their number and their bytes on disk.
func (h *History) PruneWorktrees(ctx context.Context, root string) (removed int, bytes int64, err error) {
	trees, err := treesOf(ctx, h, root)
	if err != nil || trees == nil {
		return 0, 0, err
	}
	removed, bytes, err = trees.Prune(ctx)
	return removed, bytes, h.state.Explain(err)
}

// treesOf are the scratch trees of a folder, or nil if there cannot be any.
func treesOf(ctx context.Context, h *History, root string) (*shadow.Trees, error) {
	kept, err := h.state.Usage(ctx, root)
	if err != nil || kept.ShadowBytes == 0 || !kept.Trusted {
		return nil, err
	}
	repo, err := h.ledger.Repo(ctx, root)
	if err != nil {
		return nil, fmt.Errorf("look at the scratch trees of %s: %w", root, err)
	}
	return repo.Trees, nil
}
