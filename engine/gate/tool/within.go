package tool

import (
	"context"
	"time"
)

type withinKey struct{}

// Within limits every command that starts with the context to a time, regardless of its gate. It applies the user's time
// limits to gates of all languages.
func Within(ctx context.Context, limit time.Duration) context.Context {
	return context.WithValue(ctx, withinKey{}, limit)
}

// LimitOf returns the user's time limit, or the usual one.
func LimitOf(ctx context.Context, usual time.Duration) time.Duration {
	if limit, is := ctx.Value(withinKey{}).(time.Duration); is {
		return limit
	}
	return usual
}
