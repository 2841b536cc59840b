package episodes

import (
	"slices"

	"forge/engine/llm/llmtest"
)

// behaviour is a way in which a model is bad.
type behaviour struct {
	name    string
	entries func(p project) []llmtest.Entry
	says    string   // an expression that the reason matches; empty: any reason
	fix     bool     // a test of the user's fails before the run
	garbage bool     // answers that are none: of no language
	injects bool     // the folder's texts order models to misbehave, and this one obeys
	flags   []string // more of the command line
	request string   // what the user wants, where it is not the usual thing
}

// task is the user's task.
func (b behaviour) task(p project) string {
	if b.request != "" {
		return b.request
	}
	if b.fix {
		return "mend the fee, so that '" + p.named + "' passes"
	}
	return "add Refund, which gives back what was paid"
}

// behaviours are all ways to be bad, each table in a file of its own. A new kind is a new table.
func behaviours() []behaviour {
	return slices.Concat(badCode(), idle(), badTests(), againstTests(), outside(), badReviews(), injected(), garbage())
}
