package event

import (
	"forge/engine/gate"
)

// Reviewed is the opinion of a reviewer on a change, or on existing code, in the form of a gate's report. It is not a gate:
// memory does not learn from it. Error means that the answer was unreadable, which is not a pass; not-run means that there was
// no reviewer.
type Reviewed struct {
	Node    string      `wire:"node"`
	Attempt int         `wire:"attempt"`
	Report  gate.Report `wire:"review"`
	Note    string      `json:",omitempty" wire:"note,omitempty" doc:"issues that were left out, because their places do not exist"`
}

// Type returns the name of the event.
func (Reviewed) Type() string { return "review" }

// ReviewOf returns the event of a reviewer's report.
func ReviewOf(node string, attempt int, report gate.Report) Reviewed {
	return Reviewed{Node: node, Attempt: attempt, Report: report, Note: report.Output}
}

func (e *Reviewed) complete() { e.Note = e.Report.Output }

// AnswerReady is the answer of a run that was asked a question.
type AnswerReady struct {
	Text string `wire:"text" doc:"Markdown"`
	Path string `wire:"path,omitempty" doc:"of the file with the answer, in Forge's own state; missing if it could not be stored"`
}

// Type returns the name of the event.
func (AnswerReady) Type() string { return "answer" }

// SpecKept reports that a version was appended to the folder's specification.
type SpecKept struct {
	Version   int    `wire:"version"`
	Changelog string `wire:"changelog" doc:"one line"`
}

// Type returns the name of the event.
func (SpecKept) Type() string { return "spec" }

// Asked is a question that waits for the user.
type Asked struct {
	Question Question `wire:",inline"`
}

// Type returns the name of the event.
func (Asked) Type() string { return "ask" }

// Answered reports that a question is closed.
type Answered struct {
	QuestionID string `wire:"askId"`
	Choice     string `wire:"choice,omitempty" doc:"missing without an answer"`
	Text       string `json:",omitempty" wire:"text,omitempty" doc:"free text instead of a choice"`
}

// Type returns the name of the event.
func (Answered) Type() string { return "answered" }

// ProposalReady reports that the run has a proposal.
type ProposalReady struct {
	ProposalID string `wire:"proposalId"`
	Files      int    `wire:"files"`
	Hunks      int    `wire:"hunks"`
	// Explanation is in the words of a model; no gate checks it.
	Explanation string `json:",omitempty" wire:"explanation,omitempty" doc:"what the model says that it has changed and why, in its own words, which nothing has checked; a line for each part of a plan"`
	Unverified  string `json:",omitempty" wire:"unverified,omitempty" doc:"why the run did not accept it, one reason per line"`
	// Missing are the parts of the plan that it lacks.
	Missing []string `json:",omitempty" wire:"missing,omitempty" doc:"parts of the plan that it lacks; the others were joined and checked together"`
}

// Type returns the name of the event.
func (ProposalReady) Type() string { return "proposal" }
