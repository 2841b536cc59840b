package api

import "forge/engine/event"

// timeLayout is RFC 3339 with exactly three decimals, so that events of one second sort as text.
const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// Event is the notification forge/event, and an element of the result of forge.events.
type Event struct {
	RunID string `json:"runId"`
	Seq   int    `json:"seq" doc:"from 1, without gaps"`
	TS    string `json:"ts" doc:"RFC 3339 with milliseconds, UTC"`
	Type  string `json:"type" doc:"one of the types under Events; ignore others, which newer versions add"`
	Data  any    `json:"data" doc:"payload of that type"`
}

// EventOf converts an event of a run to the wire.
func EventOf(e event.Event) Event {
	return Event{RunID: e.RunID, Seq: e.Seq, TS: e.Time.UTC().Format(timeLayout), Type: e.Data.Type(), Data: payload{e.Data}}
}

// EventsOf converts events to the wire. The result is never nil, so that JSON has an empty list.
func EventsOf(events []event.Event) []Event { return List(events, EventOf) }

// Class is the kind of work that Forge classifies a task as.
type Class = event.Class

// AttemptJudged is the result of an attempt to write the change.
type AttemptJudged = event.AttemptJudged

// ProgressOf returns the result of the latest attempt of a run; nil if there is none.
func ProgressOf(a *event.AttemptJudged) *AttemptJudged {
	if a == nil {
		return nil
	}
	wire := *a
	wire.Failures = List(a.Failures, Same)
	return &wire
}

// Delta is the notification forge/delta: the text that a model has sent since the last one. It is for live display only:
// Forge does not store it, and forge.events does not return it.
type Delta struct {
	RunID   string `json:"runId"`
	Node    string `json:"node"`
	Attempt int    `json:"attempt" doc:"from 1"`
	Round   int    `json:"round,omitempty" doc:"0 is the call itself, 1 and 2 are repairs"`
	At      int    `json:"at" doc:"bytes of the answer, in UTF-8, before this text; 0 restarts it"`
	Text    string `json:"text"`
}

// DeltaOf converts a delta of a run to the wire.
func DeltaOf(runID string, d event.Delta) Delta {
	return Delta{RunID: runID, Node: d.Node, Attempt: d.Attempt, Round: d.Round, At: d.At, Text: d.Text}
}
