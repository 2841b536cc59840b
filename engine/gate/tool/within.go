package tool

import (
	"context"
	"fmt"
	"strings"
	"time"

	"forge/engine/gate"
)

// mostTime is the longest time limit that users can set for a gate, config.MaxTimeout.
const mostTime = time.Hour

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

// moreTime returns the advice of a report, with the setting that gives a gate three times the limit at which it was stopped, up to what can be set.
func moreTime(report gate.Report, limit time.Duration) string {
	if limit >= mostTime {
		return report.Advice
	}
	more := min(3*limit, mostTime).String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(more, zero) {
			more = strings.TrimSuffix(more, zero[1:])
		}
	}
	advice := fmt.Sprintf("timeouts: {%s: %s} in your settings gives it more time", report.Gate, more)
	if report.Advice != "" {
		return report.Advice + "; " + advice
	}
	return advice
}
