package engine

import (
	"cmp"
	"context"

	"forge/engine/llm"
	"forge/engine/mode"
	"forge/engine/pipeline"
)

// settled is the request with what the person has set where it says nothing. The error names a domain, a mode, a recipe,
// a profile or a tool that there is not, and which there are.
func (r Request) settled(s Settings) (Request, error) {
	r.Limits, r.Bounds = r.Limits.or(s.Limits), r.Bounds.Or(s.Bounds)
	r, err := r.inDomain(s)
	if err != nil {
		return r, err
	}
	r.Mode = cmp.Or(r.Mode, s.Mode)
	if r, err = r.directly(); err != nil {
		return r, err
	}
	m, err := mode.Lookup(r.Mode)
	if err != nil {
		return r, err
	}
	if _, err := mode.LookupProfile(r.Profile); err != nil || pipeline.Reads(pipeline.Recipe(r.Recipe)) {
		return r, err
	}
	if m.Answers() { // it changes nothing: what is asked for is told
		r.Recipe = string(pipeline.Ask)
		return r, nil
	}
	_, err = mode.LookupRecipe(r.Recipe)
	return r, err
}

// chooser chooses the models of the run: in a mode that is offline, only among those of this machine.
func (l *life) chooser() llm.Chooser {
	if m, err := mode.Lookup(l.params.Mode); err == nil && m.Offline {
		return offline{l.engine.options.Chooser}
	}
	return l.engine.options.Chooser
}

// offline chooses among the models of this machine.
type offline struct{ llm.Chooser }

func (o offline) Choose(ctx context.Context, n llm.Need) (llm.Choice, error) {
	n.Offline = true
	return o.Chooser.Choose(ctx, n)
}
