package event

import (
	"forge/engine/gate"
)

// Reviewed is the opinion of a reviewer on a change, or on code that it was shown, in the form of a gate's report. It is no
// gate: nothing is learned from it. Error means that the answer could not be read, which is not a pass; not-run that there was
// no reviewer.
type Reviewed struct {
	Node    string      `wire:"node"`
	Attempt int         `wire:"attempt"`
	Report  gate.Report `wire:"review"`
	Note    string      `json:",omitempty" wire:"note,omitempty" doc:"what was left out, because it names places that are not there"`
}

// Type names the event.
func (Reviewed) Type() string { return "review" }

// ReviewOf is the event of a reviewer's report.
func ReviewOf(node string, attempt int, report gate.Report) Reviewed {
	return Reviewed{Node: node, Attempt: attempt, Report: report, Note: report.Output}
}

func (e *Reviewed) complete() { e.Note = e.Report.Output }

// AnswerReady is the answer of a run that was asked something.
type AnswerReady struct {
	Text string `wire:"text" doc:"Markdown"`
	Path string `wire:"path,omitempty" doc:"of the file that has it, in Forge's own state; missing where it could not be kept"`
}

// Type names the event.
func (AnswerReady) Type() string { return "answer" }

// SpecKept reports that a version was appended to the specification of the folder.
type SpecKept struct {
	Version   int    `wire:"version"`
	Changelog string `wire:"changelog" doc:"one line"`
}

// Type names the event.
func (SpecKept) Type() string { return "spec" }

// Asked is a question that waits for the user.
type Asked struct {
	Question Question `wire:",inline"`
}

// Type names the event.
func (Asked) Type() string { return "ask" }

// Answered reports that a question is closed.
type Answered struct {
	QuestionID string `wire:"askId"`
	Choice     string `wire:"choice,omitempty" doc:"missing when there was no answer"`
	Text       string `json:",omitempty" wire:"text,omitempty" doc:"what was written instead of choosing"`
}

// Type names the event.
func (Answered) Type() string { return "answered" }

// ProposalReady reports that the run's result can be looked at.
type ProposalReady struct {
	ProposalID string `wire:"proposalId"`
	Files      int    `wire:"files"`
	Hunks      int    `wire:"hunks"`
	Unverified string `json:",omitempty" wire:"unverified,omitempty" doc:"what speaks against it, a line each, where the run did not accept it"`
}

// Type names the event.
func (ProposalReady) Type() string { return "proposal" }
