package api

import "forge/engine/event"

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

// DeltaOf puts a delta of a run on the wire.
func DeltaOf(runID string, d event.Delta) Delta {
	return Delta{RunID: runID, Node: d.Node, Attempt: d.Attempt, Round: d.Round, At: d.At, Text: d.Text}
}
