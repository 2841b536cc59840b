package work

import (
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/graph"
	"forge/engine/prompt"
	"forge/engine/step"
)

// Work is the model's report on an attempt besides its edits, and its tool calls.
type Work struct {
	concerns []string
	tools    []event.ToolCount // in the order of their first use
}

// maxConcerns limits the concerns of an attempt, and maxConcern the length of each, in bytes.
const (
	maxConcerns = 10
	maxConcern  = 300
)

// AddConcern adds concerns without duplicates.
func (w *Work) AddConcern(concerns ...string) {
	for _, c := range concerns {
		c = Shorten(strings.TrimSpace(c), maxConcern)
		if c != "" && len(w.concerns) < maxConcerns && !slices.Contains(w.concerns, c) {
			w.concerns = append(w.concerns, c)
		}
	}
}

// Used counts a tool call.
func (w *Work) Used(tool string, failed bool) {
	i := slices.IndexFunc(w.tools, func(t event.ToolCount) bool { return t.Tool == tool })
	if i < 0 {
		i, w.tools = len(w.tools), append(w.tools, event.ToolCount{Tool: tool})
	}
	w.tools[i].Used++
	if failed {
		w.tools[i].Failed++
	}
}

// ReportWork reports how the work of an attempt ended, before it is judged.
func (a *Attempt) ReportWork(n graph.Node, o step.Outcome) {
	said := event.WorkReported{
		Part: a.job.ID, Node: n.ID, Attempt: n.Attempt, State: event.WorkDone, Concerns: a.Work.concerns, Tools: a.Work.tools,
	}
	switch {
	case o.Signal != step.Success:
		said.State, said.Reason = event.WorkBlocked, o.Reason
	case len(said.Concerns) > 0:
		said.State = event.WorkDoneWithConcerns
	}
	a.run.Emit(said)
}

// Doubts returns the concerns of the attempt for its reviewer.
func (a *Attempt) Doubts() []prompt.Section {
	if len(a.Work.concerns) == 0 {
		return nil
	}
	text := "- " + strings.Join(a.Work.concerns, "\n- ")
	return []prompt.Section{{Kind: prompt.Errors, Name: "Concerns of the author", Text: text, Data: true, Cut: 1}}
}
