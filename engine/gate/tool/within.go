package tool

import (
	"context"
	"time"
)

type withinKey struct{}

// Within has every command that is started with the context end within a limit, whatever its gate says. It is how the time
// that the user gives a gate reaches gates of all languages.
func Within(ctx context.Context, limit time.Duration) context.Context {
	return context.WithValue(ctx, withinKey{}, limit)
}

// LimitOf is how long something may take: as the user says, or else as usual.
func LimitOf(ctx context.Context, usual time.Duration) time.Duration {
	if limit, is := ctx.Value(withinKey{}).(time.Duration); is {
		return limit
	}
	return usual
}
