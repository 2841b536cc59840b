// Package event is the log of a run: typed events with sequence numbers from 1 and no gaps, which can be followed live
// and replayed.
//
// An event is declared once, as a struct of this package. Its file has the struct as encoding/json writes it. The wire, the
// TypeScript types and docs/commands.md have the fields with a tag `wire`, which package api reads together with `doc` and
// `enum`; Teller has its line for people; Standing folds it into how the run stands.
//
// A tag is the name on the wire and options: omitempty and omitzero as in encoding/json, inline (the fields of the struct stand
// in its place), uri (a path becomes a file URI) and usd (millionths of a dollar become dollars). The tags are not those
// of encoding/json because files of earlier runs must stay readable, and because the journal hashes values that events share
// (docs/adr/0097).
//
// # Questions
//
// A run puts questions to its user. Question says what is asked, which answers
// there are, and the interface through which a front (an editor, a terminal) answers.
//
// Invariant: the default of every question is the careful answer. A closed editor, a dismissed
// dialogue or a terminal without a user never reads as consent.
//
// # Lines for people
//
// Teller puts the events of a run into lines of text: what forge run shows while it happens, and
// forge log afterwards.
//
//	teller := event.NewTeller()
//	for _, line := range teller.Tell(e) { fmt.Println(line.Text) }
//
// Invariant: whatever came from a workspace or a model is inert in a Text: nothing in it moves a cursor.
package event

import "time"

// Event is one thing that happened in a run.
type Event struct {
	RunID string
	Seq   int // from 1, without gaps, in the order of happening
	Time  time.Time
	Data  Data // one of the structs of this package
}

// Data is the payload of an event. Its Type is the event's name on the wire and in files.
type Data interface{ Type() string }

// Types returns the zero value of every payload, in the order in which a run has them first. A payload that is not in the list
// is read from files as Unknown, and has no place in the documentation.
func Types() []Data {
	return []Data{
		RunStarted{}, RunResumed{}, FilesSkipped{}, SecretsRedacted{}, TaskClassified{},
		GraphBuilt{}, GraphGrown{}, Planned{}, NodeChanged{},
		ModelCalled{}, ToolUsed{}, BatchWaiting{}, ModelWarming{}, ModelWarmed{}, Spent{},
		WorkReported{}, GateStarted{}, GateFinished{}, Reviewed{}, AttemptJudged{}, Diagnosed{}, Learned{},
		Asked{}, Answered{},
		AnswerReady{}, SpecKept{}, ProposalReady{}, RunEnded{},
	}
}
