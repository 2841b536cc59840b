package lsp

import (
	"context"
	"encoding/json"
	"fmt"

	"forge/lsp/command"
)

// explore answers forge.explore.
func (f *front) explore(ctx context.Context, a *command.ExploreArgs) (command.ExploreResult, error) {
	folder, err := f.folderFor(a.Folder, nil)
	if err != nil {
		return command.ExploreResult{}, err
	}
	args, err := json.Marshal(a) // under the names that providers have; what is not theirs, they leave
	if err != nil {
		return command.ExploreResult{}, fmt.Errorf("write down what is asked: %w", err)
	}
	r, err := f.server.options.Engine.Explore(ctx, f.freeze(folder), a.Provider, args)
	if err != nil {
		return command.ExploreResult{}, err
	}
	return command.ExploreResult{Folder: string(folder.URI), Provider: a.Provider, Text: r.Text, Failed: r.Failed, Cut: r.Cut}, nil
}
