package flow

import (
	"context"
	"encoding/json"
	"sync"
)

// Result is how a step has ended.
type Result struct {
	Output json.RawMessage
	Err    error
}

// SideBySide performs steps at the same time, and gives their results in the order of calls.
func SideBySide(ctx context.Context, f Flow, calls []Call) []Result {
	results := make([]Result, len(calls))
	var running sync.WaitGroup
	for i, c := range calls {
		running.Go(func() { results[i].Output, results[i].Err = f.Do(ctx, c) })
	}
	running.Wait()
	return results
}
