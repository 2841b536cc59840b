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
	Signal  string `json:"signal,omitempty" enum:"SUCCESS,RETRYABLE,TERMINAL,BLOCKED_ON_HUMAN" doc:"what follows its end: RETRYABLE is retried automatically, BLOCKED_ON_HUMAN is not"`
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
	Weight    string    `json:"weight,omitempty" enum:"required,when-green,advisory" doc:"what the verdict decides: required must pass, when-green must pass if it passed before the change, advisory is only shown"`
	Findings  []Finding `json:"findings"`
	Known     int       `json:"known,omitempty" doc:"number of findings from before the change, which are not listed"`
	Flaky     []string  `json:"flaky,omitempty" doc:"tests that failed and then passed in a second run"`
	Notice    string    `json:"notice,omitempty" doc:"a line to read before accepting the change, such as which existing tests it replaces"`
	Executed  int       `json:"executed"`
	Passed    int       `json:"passed"`
	Sandbox   string    `json:"sandbox,omitempty" doc:"protections that its commands ran with, and those that were missing"`
	Advice    string    `json:"advice,omitempty" doc:"the setting that gives the gate what it lacked, such as the network or more time"`
	ElapsedMS int64     `json:"elapsedMs"`
}

// Finding is one problem at a place in a tree.
type Finding struct {
	Path     string `json:"path,omitempty"`
	Line     int    `json:"line,omitempty" doc:"from 1"`
	Column   int    `json:"column,omitempty" doc:"from 1"`
	EndLine  int    `json:"endLine,omitempty" doc:"the last line, if it differs from the first"`
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

// GateOf converts a gate's report to the wire.
func GateOf(r gate.Report) Gate {
	return Gate{
		Name: r.Gate, Verdict: r.Verdict.String(), Summary: r.Summary, Weight: r.Weight.String(), Findings: List(r.Findings, findingOf),
		Known: r.Known, Flaky: r.Flaky, Notice: r.Notice, Sandbox: r.Sandbox, Advice: r.Advice, Executed: r.Executed, Passed: r.Passed, ElapsedMS: r.Elapsed.Milliseconds(),
	}
}

func findingOf(f gate.Finding) Finding {
	severity, known := severities[f.Severity]
	if !known {
		severity = "error" // a finding without a severity counts as an error
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
	Default  string   `json:"default" doc:"id of the safe choice"`
	Answered bool     `json:"answered,omitempty" doc:"in the result of forge.events: the question is closed, do not ask it again"`
	FreeText string   `json:"freeText,omitempty" doc:"label of a free-text answer, such as what should be different; missing if only a choice is accepted"`
	File     string   `json:"file,omitempty" doc:"path of a file that the user may change before they consent, such as the plan: what is in it then counts"`
}

// Choice is one answer to a question.
type Choice struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

func askOf(q event.Question) Ask {
	return Ask{
		AskID: q.ID, Kind: string(q.Kind), Title: q.Title, Detail: q.Detail, Default: q.Default, Answered: q.Closed, FreeText: q.FreeText, File: q.File,
		Choices: List(q.Choices, func(c event.Choice) Choice { return Choice(c) }),
	}
}

// PromptMade describes how a request was composed, without its text.
type PromptMade struct {
	Hash     string          `json:"hash" doc:"hash of the messages; the same snapshot and request give the same hash"`
	Tokens   int             `json:"tokens" doc:"estimated: bytes divided by four"`
	Budget   int             `json:"budget" doc:"limit of tokens"`
	Sections []PromptSection `json:"sections"`
}

// promptMadeOf converts a manifest; nil if it is unknown.
func promptMadeOf(m llm.Manifest) *PromptMade {
	if m.Hash == "" {
		return nil
	}
	return &PromptMade{Hash: m.Hash, Tokens: m.Tokens, Budget: m.Budget, Sections: promptSections(m)}
}
