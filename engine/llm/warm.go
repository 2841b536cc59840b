package llm

import "context"

// Warmer is a Model that a server may have to load before it answers, which takes seconds to minutes. Some adapters of
// models on this machine implement it. The calls are free, and are not retried.
type Warmer interface {
	// Loaded reports whether the server could start with the request at once. The error is the server's, or ctx's.
	Loaded(ctx context.Context, r Request) (bool, error)
	// Warm loads the model with the request's settings, and returns when it is loaded. The error is as Complete's.
	Warm(ctx context.Context, r Request) error
}
