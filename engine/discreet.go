package engine

import (
	"context"
	"slices"

	"forge/engine/ask"
)

// discreet asks a person without the secrets that a model, or a file it quotes, has put into a question, and takes those out of
// what they write. Which choice there is, and which was taken, stays as it is.
type discreet struct {
	asker ask.Asker
	host  *Host
}

// Ask asks, with the errors of the asker behind it.
func (d discreet) Ask(ctx context.Context, q ask.Question) (ask.Answer, error) {
	q.Title, q.Detail, q.Choices = d.host.Secrets.Plain(q.Title), d.host.Secrets.Plain(q.Detail), slices.Clone(q.Choices)
	for i := range q.Choices {
		q.Choices[i].Title = d.host.Secrets.Plain(q.Choices[i].Title)
	}
	answer, err := d.asker.Ask(ctx, q)
	answer.Text = d.host.Secrets.Plain(answer.Text)
	return answer, err //nolint:wrapcheck // as the asker said it: who asks knows its errors
}
