package lsp

import (
	"context"

	"forge/lsp/command"
)

// iterations answers forge.iterations.
func iterations(ctx context.Context, k Kept, root string, a *command.IterationsArgs) (command.IterationsResult, error) {
	if a.Reset {
		forgotten, err := k.ResetIterations(ctx, root, a.RunID, a.Node)
		result := command.IterationsOf(nil)
		result.Forgotten = forgotten
		return result, err
	}
	attempts, err := k.Iterations(ctx, root, a.RunID, a.Node)
	return command.IterationsOf(attempts), err
}
