package index

import (
	"context"

	"forge/api/service"
	"forge/codeintel/repomap"
	"forge/codeintel/search"
	"forge/engine/atlas"
)

// Atlas is what the server needs of forge/engine/atlas: what is known of one folder. It may be used by several
// goroutines.
type Atlas interface {
	service.Index
	// Context and Imports answer at once with what is known so far.
	Context(ctx context.Context, q search.Query, budget int) (repomap.Pack, error)
	Imports(ctx context.Context, path string, depth int) (atlas.Imports, error)
	// Cover lets a text stand in the place of what is on disk, until Uncover.
	Cover(path, text string)
	Uncover(path string)
	// Changed says that files on disk, or folders, were made, changed or removed; without paths, that any may have been.
	Changed(paths ...string)
}

// AtlasOf is Options.Atlas for an engine.
func AtlasOf(e interface {
	Atlas(ctx context.Context, root string) (*atlas.Atlas, error)
}) func(ctx context.Context, root string) (Atlas, error) {
	return func(ctx context.Context, root string) (Atlas, error) {
		a, err := e.Atlas(ctx, root)
		if err != nil {
			return nil, err
		}
		return a, nil
	}
}
