package engine

import (
	"cmp"
	"context"
	"strings"

	"forge/engine/execution"
	"forge/engine/mode"
	"forge/engine/pipeline"
)

// inDomain applies the defaults of the request's domain that neither the request nor the user's settings override. A request that
// names a recipe or tools gets none.
func (r Request) inDomain(s Settings) (Request, error) {
	r.Domain = cmp.Or(r.Domain, s.Domain)
	domain, err := mode.LookupDomain(r.Domain)
	if err != nil || r.Recipe != "" || len(r.Direct) > 0 {
		return r, err
	}
	means := domain.Means()
	r.Mode = cmp.Or(r.Mode, s.Mode, string(means.Mode))
	r.Recipe = string(means.Recipe)
	switch {
	case domain == mode.Generic:
		r.Recipe = string(recipeOf(r))
	case domain == "" && r.onlyTalks():
		r.Recipe = string(pipeline.Ask)
	}
	return r, nil
}

// onlyTalks reports whether a request that names no recipe is small talk, without any work.
func (r Request) onlyTalks() bool {
	return r.open() && mode.Classify(mode.Request{Text: r.Task, Focus: r.Focus.Path}).Kind == mode.KindConversation
}

// open reports whether a request names no recipe, mode or tools.
func (r Request) open() bool {
	return r.Recipe == "" && r.Domain == "" && r.Profile == "" && r.Plan == (execution.Plan{}) && len(r.Direct) == 0
}

// Doubtful reports whether a request to change a folder reads like a question about it: its last sentence ends with a question
// mark, the rules are sure of it, and no setting of the request decides. A front that can asks the user; otherwise the request
// stays as it is.
func (e *Engine) Doubtful(ctx context.Context, r Request) bool {
	r.Domain = cmp.Or(r.Domain, e.settings(ctx, r.Snapshot.Root).Domain)
	return r.open() && strings.HasSuffix(strings.TrimSpace(r.Task), "?") && recipeOf(r) == pipeline.Ask
}

// recipeOf returns the recipe that the rules derive from the request; if they are not sure, the default one.
func recipeOf(r Request) mode.Recipe {
	return mode.Classify(mode.Request{Text: r.Task, Focus: r.Focus.Path}).Recipe()
}
