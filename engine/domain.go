package engine

import (
	"cmp"

	"forge/engine/intent"
	"forge/engine/mode"
	"forge/engine/pipeline"
)

// recipes are what kinds of work are done by; the others are implemented.
var recipes = map[intent.Kind]mode.Recipe{
	intent.Bugfix: mode.Fix, intent.Refactor: mode.Refactor, intent.Test: mode.Test,
	intent.Analysis: pipeline.Ask, intent.Conversation: pipeline.Ask,
}

// inDomain is the request with what its domain says, where neither it nor the person's settings say anything. Whoever names a recipe,
// or the tools that do the work, has said what is to be done.
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
	case domain == "" && r.onlyAsks():
		r.Recipe = string(pipeline.Ask)
	}
	return r, nil
}

// onlyAsks reports whether a request of which nobody has said how it is to be done is surely no work on the folder: a question about it,
// or what people say to each other. It is answered, without a specification, a plan or gates.
func (r Request) onlyAsks() bool {
	return r.Profile == "" && r.Plan == (Plan{}) && recipeOf(r) == pipeline.Ask
}

// recipeOf is what the request itself asks for, by rules; where they are not sure it is what runs do that nobody has said anything of.
func recipeOf(r Request) mode.Recipe {
	class := intent.Classify(intent.Request{Text: r.Task, Focus: r.Focus.Path})
	if recipe, known := recipes[class.Kind]; known && class.Sure() {
		return recipe
	}
	return mode.Implement
}
