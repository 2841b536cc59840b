package lsp

import (
	"context"
	"sync"

	"forge/engine/ask"
)

// answering answers the first question of a run that takes a text of the user's own with one that was given beforehand; an empty one is
// none. The other questions go on to the asker.
func answering(reply string, a ask.Asker) ask.Asker {
	if reply == "" {
		return a
	}
	var once sync.Once
	return ask.Func(func(ctx context.Context, q ask.Question) (ask.Answer, error) {
		first := false
		if q.Kind == ask.Clarify && q.FreeText != "" {
			once.Do(func() { first = true })
		}
		if first {
			return ask.Answer{Choice: q.Default, Text: reply}, nil
		}
		return a.Ask(ctx, q)
	})
}
