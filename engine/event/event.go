// Package event is the log of a run: typed events with sequence numbers from 1 and no gaps, which can be followed live
// and replayed.
//
// An event is declared once, as a struct of this package. Its file contains the struct in the form of encoding/json. The wire,
// the TypeScript types and docs/commands.md contain the fields with a tag `wire`, which package api reads together with `doc`
// and `enum`; Formatter has its line for users; Standing folds it into the state of the run.
//
// A tag is the name on the wire and options: omitempty and omitzero as in encoding/json, inline (the fields of the struct
// replace it), uri (a path becomes a file URI) and usd (millionths of a dollar become dollars). The tags are not those of
// encoding/json because files of earlier runs must stay readable, and because the journal hashes values that events share
// (docs/adr/0097).
//
// # Questions
//
// A run asks its user questions. Question contains the question and its possible answers, and Asker is
// the interface through which a front (an editor, a terminal) answers.
//
// Invariant: the default of every question is the careful answer. A closed editor, a dismissed
// dialogue or a terminal without a user never reads as consent.
//
// # Lines for users
//
// Formatter converts the events of a run into lines of text, for forge run as they happen, and for forge log afterwards.
//
//	formatter := event.NewFormatter()
//	for _, line := range formatter.Format(e) { fmt.Println(line.Text) }
//
// Invariant: text from a workspace or a model is inert in a Line: it moves no cursor.
package event

import "time"

// Event is one event of a run.
type Event struct {
	RunID string
	Seq   int // from 1, without gaps, in order
	Time  time.Time
	Data  Data // one of the structs of this package
}

// Data is the payload of an event. Type returns the event's name on the wire and in files.
type Data interface{ Type() string }

// Types returns the zero value of every payload, in the order in which a run first emits them. A payload that is missing here
// is read from files as Unknown, and is not documented.
func Types() []Data {
	return []Data{
		RunStarted{}, RunResumed{}, FilesSkipped{}, WorkIncluded{}, SecretsRedacted{}, TaskClassified{},
		GraphBuilt{}, GraphGrown{}, Planned{}, FilesMerged{}, NodeChanged{},
		ModelCalled{}, ToolUsed{}, ErrandReported{}, BatchWaiting{}, ModelWarming{}, ModelWarmed{}, Spent{},
		WorkReported{}, FileNeeded{}, GateStarted{}, GateFinished{}, Reviewed{}, AttemptJudged{}, Diagnosed{}, Learned{},
		Asked{}, Answered{},
		AnswerReady{}, SpecKept{}, ProposalReady{}, RunEnded{},
	}
}
