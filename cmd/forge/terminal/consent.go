package terminal

import (
	"context"
	"errors"
	"fmt"

	"forge/engine/event"
)

// Consent asks the user whether to do something, unless they said yes beforehand. What is done is named as it would be said
// afterwards, "installed": an error says that nothing was.
func Consent(ctx context.Context, t Terminal, question, done string, yes bool) error {
	switch {
	case yes:
		return nil
	case !t.Person:
		return ExitWith(ExitBlocked, fmt.Sprintf("there is no terminal to say yes in, so nothing was %s: give --yes, or run forge in a terminal", done))
	}
	answer, err := NewDialogue(t).Decide(ctx, event.Question{
		Title: question, Choices: []event.Choice{{ID: "yes", Title: "Yes"}, {ID: "no", Title: "No"}}, Default: "no",
	})
	switch {
	case err != nil && !errors.Is(err, event.ErrNoAnswer):
		return err
	case err != nil || answer.Choice != "yes":
		return ExitWith(ExitCancelled, fmt.Sprintf("nothing was %s", done))
	}
	return nil
}
