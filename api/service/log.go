package service

import (
	"cmp"

	"forge/api"
	"forge/engine/event"
)

// shownLines is how many lines forge.log returns unless the caller gives a number.
const shownLines = 50

// Log answers forge.log with the events of a run.
func Log(id string, events []event.Event, a *api.LogArgs) api.LogResult {
	teller := NewTeller(a)
	result := api.LogResult{RunID: id, Lines: []api.LogLine{}}
	for _, e := range events {
		result.Lines = append(result.Lines, teller.Tell(e)...)
	}
	if limit := cmp.Or(max(a.Limit, 0), shownLines); len(result.Lines) > limit {
		result.Lines = result.Lines[len(result.Lines)-limit:]
	}
	return result
}

// Teller makes the lines of forge.log of the events of one run, in their order.
type Teller struct {
	filter event.Filter
	teller *event.Teller
}

// NewTeller returns a teller of the lines that are asked for.
func NewTeller(a *api.LogArgs) *Teller {
	return &Teller{event.Filter{Node: a.Node, Phase: event.Phase(a.Phase), Severity: event.Severity(a.Severity)}, event.NewTeller()}
}

// Tell returns the log lines of the next event, if it has any.
func (t *Teller) Tell(e event.Event) []api.LogLine {
	return api.LogLines(t.filter.Of(t.teller.Tell(e)))
}

// LogPhases are the phases of lines, in the order in which a run has them first.
func LogPhases() []string { return texts(event.Phases) }

// LogSeverities are the severities of lines, the least first.
func LogSeverities() []string { return texts(event.Severities) }

func texts[T ~string](all []T) []string {
	list := make([]string, len(all))
	for i, one := range all {
		list[i] = string(one)
	}
	return list
}
