package route

import (
	"context"
	"fmt"

	"forge/engine/config"
	"forge/engine/llm"
)

// Batcher returns the batch interface of a provider for a model, regardless of the current tiers. There is no fallback, and
// offline only this machine is called.
func (r *Router) Batcher(ctx context.Context, provider, model string) (llm.Batcher, error) {
	s := r.options.Settings(ctx, "")
	if s.Err != nil {
		return nil, fmt.Errorf("ask %s about its batches: %w", provider, s.Err)
	}
	p, known := s.Provider(provider)
	if !known {
		return nil, fmt.Errorf("the settings no longer have the provider %s, so its batches cannot be polled", provider)
	}
	if err := allowed(s, p); err != nil {
		return nil, fmt.Errorf("ask %s about its batches: %w", provider, err)
	}
	found, err := r.find(ctx, s, llm.Generation, config.Ref{Provider: provider, Model: model})
	if err != nil {
		return nil, fmt.Errorf("ask %s about its batches: %w", provider, err)
	}
	connected, err := r.connect(s, target{provider: found.provider, model: model})
	if err != nil {
		return nil, fmt.Errorf("ask %s about its batches: %w", provider, err)
	}
	batcher, can := connected.(llm.Batcher)
	if !can {
		return nil, fmt.Errorf("%s has no batches", provider)
	}
	return batcher, nil
}
