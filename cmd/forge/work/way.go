package work

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/event"
	"forge/engine/mode"
	"forge/engine/pipeline"
)

// checkWay rejects an unknown recipe, mode, profile or domain, and lists the known ones.
func (f RunFlags) checkWay() error {
	_, recipe := mode.LookupRecipe(f.recipe)
	_, named := mode.Lookup(f.mode)
	_, profile := mode.LookupProfile(f.profile)
	_, domain := mode.LookupDomain(f.domain)
	for _, flag := range []struct {
		name string
		err  error
	}{{"recipe", recipe}, {"mode", named}, {"profile", profile}, {"domain", domain}} {
		if flag.err != nil {
			return terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("--%s: %v", flag.name, flag.err))
		}
	}
	return nil
}

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
