package engine

import (
	"cmp"
	"context"
	"strings"

	"forge/engine/execution"
	"forge/engine/mode"
	"forge/engine/pipeline"
)

// inDomain is the request with what its domain says, where neither it nor the user's settings say anything. A request that names a recipe,
// or the tools that do the work, says itself what is to be done.
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

// onlyTalks reports whether a request that says nothing of how it is to be done is what people say to each other, and no work at all.
func (r Request) onlyTalks() bool {
	return r.open() && mode.Classify(mode.Request{Text: r.Task, Focus: r.Focus.Path}).Kind == mode.KindConversation
}

// open reports whether a request leaves all of how it is to be done open.
func (r Request) open() bool {
	return r.Recipe == "" && r.Domain == "" && r.Profile == "" && r.Plan == (execution.Plan{}) && len(r.Direct) == 0
}

// Doubtful reports whether a request to change a folder reads like a question about it: its last sentence ends with a question mark, rules
// are sure of it, and nothing else says how it is to be done. A front that can asks the user which of the two it is; else the request is
// what it was given as.
func (e *Engine) Doubtful(ctx context.Context, r Request) bool {
	r.Domain = cmp.Or(r.Domain, e.settings(ctx, r.Snapshot.Root).Domain)
	return r.open() && strings.HasSuffix(strings.TrimSpace(r.Task), "?") && recipeOf(r) == pipeline.Ask
}

// recipeOf is what the request itself asks for, by rules; where they are not sure it is what runs do that nobody has said anything of.
func recipeOf(r Request) mode.Recipe {
	return mode.Classify(mode.Request{Text: r.Task, Focus: r.Focus.Path}).Recipe()
}
