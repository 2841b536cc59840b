package work

import (
	"context"
	"errors"

	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/event"
	"forge/engine/mode"
	"forge/engine/pipeline"
)

// settle asks whether a request that reads like a question is one. Without a terminal, or with --yes, it is what the command says: a change.
func settle(ctx context.Context, d *terminal.Dialogue, e *engine.Engine, r engine.Request) (engine.Request, error) {
	if !d.Person || d.Yes || !e.Doubtful(ctx, r) {
		return r, nil
	}
	answer, err := d.Decide(ctx, event.Question{
		Title: "This reads like a question. Answer it, or change the folder?",
		Choices: []event.Choice{
			{ID: "answer", Title: "Answer it, as forge ask does; nothing is changed"},
			{ID: "change", Title: "Change the folder"},
		},
		Default: "answer",
	})
	switch {
	case errors.Is(err, event.ErrNoAnswer):
		return r, terminal.ExitWith(terminal.ExitBlocked, "there was no answer, so nothing was started")
	case err != nil:
		return r, err
	case answer.Choice == "answer":
		r.Recipe = string(pipeline.Ask)
	default:
		r.Recipe = string(mode.Implement)
	}
	return r, nil
}
