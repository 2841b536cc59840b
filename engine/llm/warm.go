package llm

import "context"

// Warmer is a Model that a server may have to load before it answers, which takes seconds to minutes. Adapters of models
// on this machine are some; to ask one costs nothing, and neither call is ever billed or made again.
type Warmer interface {
	// Loaded reports whether the server could begin with the request at once. The error is of the server, or ctx's.
	Loaded(ctx context.Context, r Request) (bool, error)
	// Warm has the model loaded as the request needs it, and returns when it is. The error is as Complete's.
	Warm(ctx context.Context, r Request) error
}
