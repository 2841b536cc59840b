package work

import (
	"context"
	"errors"
	"strings"

	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/event"
	"forge/engine/mode"
	"forge/engine/pipeline"
)

// checkWay rejects an unknown recipe, mode, profile or domain.
func (f RunFlags) checkWay() error { return terminal.CheckWay(f.recipe, f.mode, f.profile, f.domain) }

func modeNames() []mode.Name {
	var names []mode.Name
	for _, m := range mode.Modes() {
		names = append(names, m.Name)
	}
	return names
}

// listed formats a list for the help of a flag.
func listed[T ~string](all []T) string {
	var names []string
	for _, one := range all {
		names = append(names, string(one))
	}
	return strings.Join(names, ", ")
}

// settle asks whether a request that reads like a question is one. Without a terminal, or with --yes, it is a change, as the command says.
func settle(ctx context.Context, d *terminal.Dialogue, e *engine.Engine, r engine.Request) (engine.Request, error) {
	if !d.Interactive || d.Yes || !e.Doubtful(ctx, r) {
		return r, nil
	}
	answer, err := d.Decide(ctx, event.Question{
		Title: "This reads like a question. Answer it, or change the folder?",
		Choices: []event.Choice{
			{ID: "answer", Title: "Answer it, as forge ask does; changes no file"},
			{ID: "change", Title: "Change the folder"},
		},
		Default: "answer",
	})
	switch {
	case errors.Is(err, event.ErrNoAnswer):
		return r, terminal.ExitWith(terminal.ExitBlocked, "no answer, so nothing was started")
	case err != nil:
		return r, err
	case answer.Choice == "answer":
		r.Recipe = string(pipeline.Ask)
	default:
		r.Recipe = string(mode.Implement)
	}
	return r, nil
}
