package pipeline

import (
	"context"
	"strings"

	"forge/engine/ask"
	"forge/engine/graph"
)

// consent asks the person whether something may be gone on with: the choice "approve". A rejection that says what should be different is
// feedback, for another draft; one that does not is the end, and declined says what that means. what is what was asked about, for people.
func (qs *questions) consent(ctx context.Context, n graph.Node, q ask.Question, yes, what, declined string) (feedback string, o graph.Outcome) {
	q.Kind, q.Default, q.FreeText = ask.Approve, "reject", "what should be different"
	q.Choices = []ask.Choice{{ID: "approve", Title: yes}, {ID: "reject", Title: "Reject"}}
	answer, err := qs.ask(ctx, n, q)
	switch {
	case err != nil:
		return "", unanswered(ctx, err)
	case answer.Choice == "approve":
		return "", graph.Outcome{Status: graph.Done}
	case strings.TrimSpace(answer.Text) == "":
		qs.run.declined = "the " + what + " was not approved, so nothing was " + declined
	}
	return strings.TrimSpace(answer.Text), graph.Outcome{Status: graph.Blocked, Reason: "the " + what + " was not approved"}
}
