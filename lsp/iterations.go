package lsp

import (
	"context"

	"forge/api"
)

// iterations answers forge.iterations.
func iterations(ctx context.Context, k Kept, root string, a *api.IterationsArgs) (api.IterationsResult, error) {
	if a.Reset {
		forgotten, err := k.ResetIterations(ctx, root, a.RunID, a.Node)
		result := api.IterationsOf(nil)
		result.Forgotten = forgotten
		return result, err
	}
	attempts, err := k.Iterations(ctx, root, a.RunID, a.Node)
	return api.IterationsOf(attempts), err
}
