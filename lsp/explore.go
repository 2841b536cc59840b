package lsp

import (
	"context"
	"encoding/json"
	"fmt"

	"forge/api"
)

// explore answers forge.explore.
func (f *front) explore(ctx context.Context, a *api.ExploreArgs) (api.ExploreResult, error) {
	folder, err := f.folderFor(a.Folder, nil)
	if err != nil {
		return api.ExploreResult{}, err
	}
	args, err := json.Marshal(a) // under the names that providers have; what is not theirs, they leave
	if err != nil {
		return api.ExploreResult{}, fmt.Errorf("write down what is asked: %w", err)
	}
	r, err := f.server.options.Engine.Explore(ctx, f.freeze(folder), a.Provider, args)
	if err != nil {
		return api.ExploreResult{}, err
	}
	return api.ExploreResult{Folder: string(folder.URI), Provider: a.Provider, Text: r.Text, Failed: r.Failed, Cut: r.Cut}, nil
}
