package service

import (
	"context"

	"forge/api"
	"forge/engine"
)

// WorktreeStore lists and removes scratch trees of folders.
type WorktreeStore interface {
	Worktrees(ctx context.Context, root string) ([]engine.Worktree, error)
	PruneWorktrees(ctx context.Context, root string) (removed int, bytes int64, err error)
}

// Worktrees answers forge.worktrees.
func Worktrees(ctx context.Context, e WorktreeStore, in Folder, a *api.WorktreesArgs) (result api.WorktreesResult, err error) {
	if a.Prune {
		if result.Removed, result.Freed, err = e.PruneWorktrees(ctx, in.Path); err != nil {
			return result, err
		}
	}
	all, err := e.Worktrees(ctx, in.Path)
	result.Worktrees = worktreesOf(all)
	return result, err
}
