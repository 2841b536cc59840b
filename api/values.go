package api

import (
	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/llm"
)

// Node is a node of the graph of a run.
type Node struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Status  string `json:"status" enum:"PENDING,RUNNING,DONE,BLOCKED,FAILED,SKIPPED"`
	Attempt int    `json:"attempt" doc:"how often it was started"`
	Reason  string `json:"reason,omitempty"`
	Signal  string `json:"signal,omitempty" enum:"SUCCESS,RETRYABLE,TERMINAL,BLOCKED_ON_HUMAN" doc:"what may follow its end: RETRYABLE is tried again by itself, BLOCKED_ON_HUMAN is not"`
}

func nodeOf(n graph.Node) Node {
	return Node{ID: n.ID, Kind: n.Kind, Status: n.Status.String(), Attempt: n.Attempt, Reason: n.Reason, Signal: n.Signal.String()}
}

// Edge is an edge of the graph of a run.
type Edge struct {
	From string `json:"from"`
	To   string `json:"to"`
	Type string `json:"type" enum:"normal,review_fail,review_pass,escalate,failed"`
}

func edgeOf(e graph.Edge) Edge { return Edge{From: e.From, To: e.To, Type: e.Type.String()} }

// Gate is one gate's report.
type Gate struct {
	Name      string    `json:"name"`
	Verdict   string    `json:"verdict" enum:"pass,fail,error,not-run"`
	Summary   string    `json:"summary"`
	Weight    string    `json:"weight,omitempty" enum:"required,when-green,advisory" doc:"what the verdict decides: it must pass, it must pass where it passed before the change, or it is shown only"`
	Findings  []Finding `json:"findings"`
	Known     int       `json:"known,omitempty" doc:"findings from before the change; they are not listed"`
	Flaky     []string  `json:"flaky,omitempty" doc:"tests that failed once, and passed when they ran again"`
	Notice    string    `json:"notice,omitempty" doc:"a line to read before the change is accepted, such as which existing tests it replaces"`
	Executed  int       `json:"executed"`
	Passed    int       `json:"passed"`
	Sandbox   string    `json:"sandbox,omitempty" doc:"the protections that its commands ran with, and those that were missing"`
	ElapsedMS int64     `json:"elapsedMs"`
}

// Finding is one place where a tree does not hold.
type Finding struct {
	Path     string `json:"path,omitempty"`
	Line     int    `json:"line,omitempty" doc:"from 1"`
	Column   int    `json:"column,omitempty" doc:"from 1"`
	EndLine  int    `json:"endLine,omitempty" doc:"the last line, where it is another one"`
	Severity string `json:"severity" enum:"error,warning,info"`
	Rule     string `json:"rule,omitempty"`
	Message  string `json:"message"`
	Test     string `json:"test,omitempty"`
}

var severities = map[gate.Severity]string{
	gate.SeverityError:   "error",
	gate.SeverityWarning: "warning",
	gate.SeverityInfo:    "info",
}

// GateOf returns a gate's report as it goes over the wire.
func GateOf(r gate.Report) Gate {
	return Gate{
		Name: r.Gate, Verdict: r.Verdict.String(), Summary: r.Summary, Weight: r.Weight.String(), Findings: list(r.Findings, findingOf),
		Known: r.Known, Flaky: r.Flaky, Notice: r.Notice, Sandbox: r.Sandbox, Executed: r.Executed, Passed: r.Passed, ElapsedMS: r.Elapsed.Milliseconds(),
	}
}

func findingOf(f gate.Finding) Finding {
	severity, known := severities[f.Severity]
	if !known {
		severity = "error" // a finding without a rank is not harmless
	}
	return Finding{
		Path: f.Path, Line: f.Line, Column: f.Column, EndLine: f.EndLine, Severity: severity, Rule: f.Rule, Message: f.Message, Test: f.Test,
	}
}

// Ask is a question that waits for forge.answer.
type Ask struct {
	AskID    string   `json:"askId"`
	Kind     string   `json:"kind" enum:"trust,approve,clarify,unblock,permit"`
	Title    string   `json:"title"`
	Detail   string   `json:"detail,omitempty" doc:"Markdown"`
	Choices  []Choice `json:"choices"`
	Default  string   `json:"default" doc:"id of the careful choice"`
	FreeText string   `json:"freeText,omitempty" doc:"what may be written instead of choosing, as in: what should be different; absent where only a choice counts"`
}

// Choice is one answer to a question.
type Choice struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

func askOf(q event.Question) Ask {
	return Ask{
		AskID: q.ID, Kind: string(q.Kind), Title: q.Title, Detail: q.Detail, Default: q.Default, FreeText: q.FreeText,
		Choices: list(q.Choices, func(c event.Choice) Choice { return Choice(c) }),
	}
}

// PromptMade is what a request was made of, without its text.
type PromptMade struct {
	Hash     string          `json:"hash" doc:"of its messages; the same snapshot and request have the same"`
	Tokens   int             `json:"tokens" doc:"estimated: bytes divided by four"`
	Budget   int             `json:"budget" doc:"what they could have been"`
	Sections []PromptSection `json:"sections"`
}

// promptMadeOf is what a call was made of; nil where that is not known.
func promptMadeOf(m llm.Manifest) *PromptMade {
	if m.Hash == "" {
		return nil
	}
	return &PromptMade{Hash: m.Hash, Tokens: m.Tokens, Budget: m.Budget, Sections: promptSections(m)}
}
