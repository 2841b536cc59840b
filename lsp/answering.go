package lsp

import (
	"context"
	"sync"

	"forge/engine/event"
)

// answering answers the first question of a run that takes a text of the user's own with one that was given beforehand; an empty one is
// none. The other questions go on to the asker.
func answering(reply string, a event.Asker) event.Asker {
	if reply == "" {
		return a
	}
	var once sync.Once
	return event.AskerFunc(func(ctx context.Context, q event.Question) (event.Answer, error) {
		first := false
		if q.Kind == event.AskClarification && q.FreeText != "" {
			once.Do(func() { first = true })
		}
		if first {
			return event.Answer{Choice: q.Default, Text: reply}, nil
		}
		return a.Ask(ctx, q)
	})
}
