package main

import (
	"context"
	"errors"
	"fmt"

	"forge/engine/ask"
)

// consent asks the person whether to do something, unless they said yes beforehand. What is done is named as it would be said
// afterwards, "installed": an error says that nothing was.
func consent(ctx context.Context, t terminal, question, done string, yes bool) error {
	switch {
	case yes:
		return nil
	case !t.person:
		return &exitError{exitBlocked, fmt.Sprintf("nobody is here to say yes, so nothing was %s: give --yes, or run forge in a terminal", done)}
	}
	answer, err := newDialogue(t).decide(ctx, ask.Question{
		Title: question, Choices: []ask.Choice{{ID: "yes", Title: "Yes"}, {ID: "no", Title: "No"}}, Default: "no",
	})
	switch {
	case err != nil && !errors.Is(err, ask.ErrNoAnswer):
		return err
	case err != nil || answer.Choice != "yes":
		return &exitError{exitCancelled, fmt.Sprintf("nothing was %s", done)}
	}
	return nil
}
