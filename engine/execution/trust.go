package execution

import (
	"context"
	"errors"
	"fmt"

	"forge/engine/event"
)

// Why nothing of a folder was run: the user did not want that, or there was none to ask.
var (
	errUntrusted = errors.New("the folder is not trusted, so nothing in it was run")
	errNobody    = errors.New("nobody has said that the folder is trusted, so nothing in it was run")
)

// askTrust asks once for each folder whether its code may be executed, before any process is started.
func (l *Execution) askTrust(ctx context.Context) error {
	q := event.Question{
		ID: "trust", RunID: l.Run.ID, Kind: event.AskTrust, Title: "Do you trust the code in " + l.Run.Root + "?",
		Detail:  "Forge compiles and tests it in a scratch copy, which executes code from this folder.",
		Choices: []event.Choice{{ID: "trust", Title: "Trust and run"}, {ID: "no", Title: "Don't run"}}, Default: "no",
	}
	l.Run.Log.Append(event.Asked{Question: q})
	answer, err := l.asker.Ask(ctx, q)
	l.Run.Log.Append(event.Answered{QuestionID: q.ID, Choice: answer.Choice})
	if errors.Is(err, event.ErrNoAnswer) {
		return errNobody
	}
	if err != nil {
		return fmt.Errorf("ask for trust: %w", err)
	}
	if answer.Choice != "trust" {
		return errUntrusted
	}
	return l.host.State.Trust(l.Run.Root)
}
