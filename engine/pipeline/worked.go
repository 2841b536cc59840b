package pipeline

import (
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/graph"
	"forge/engine/prompt"
	"forge/engine/step"
)

// worked is what the model of an attempt says of it beside its edits, and which tools it used.
type worked struct {
	concerns []string
	tools    []event.ToolCount // in the order of their first use
}

// maxConcerns is how many concerns of an attempt are kept, and maxConcern how long each may be, in bytes.
const (
	maxConcerns = 10
	maxConcern  = 300
)

// doubt takes down what is to be looked at twice, once.
func (w *worked) doubt(concerns ...string) {
	for _, c := range concerns {
		c = digest(strings.TrimSpace(c), maxConcern)
		if c != "" && len(w.concerns) < maxConcerns && !slices.Contains(w.concerns, c) {
			w.concerns = append(w.concerns, c)
		}
	}
}

// used counts a tool.
func (w *worked) used(tool string, failed bool) {
	i := slices.IndexFunc(w.tools, func(t event.ToolCount) bool { return t.Tool == tool })
	if i < 0 {
		i, w.tools = len(w.tools), append(w.tools, event.ToolCount{Tool: tool})
	}
	w.tools[i].Used++
	if failed {
		w.tools[i].Failed++
	}
}

// reportWork reports how the work of an attempt ended, before it is judged.
func (a *attempt) reportWork(n graph.Node, o step.Outcome) {
	said := event.WorkReported{
		Part: a.job.id, Node: n.ID, Attempt: n.Attempt, State: event.WorkDone, Concerns: a.worked.concerns, Tools: a.worked.tools,
	}
	switch {
	case o.Signal != step.Success:
		said.State, said.Reason = event.WorkBlocked, o.Reason
	case len(said.Concerns) > 0:
		said.State = event.WorkDoneWithConcerns
	}
	a.run.Tell(said)
}

// doubts are the concerns of the attempt for its reviewer.
func (a *attempt) doubts() []prompt.Section {
	if len(a.worked.concerns) == 0 {
		return nil
	}
	text := "- " + strings.Join(a.worked.concerns, "\n- ")
	return []prompt.Section{{Kind: prompt.Errors, Name: "Concerns of the author", Text: text, Data: true, Cut: 1}}
}
