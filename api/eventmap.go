package api

import (
	"forge/engine/ask"
	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/internal/bug"
)

// timeLayout is RFC 3339 with exactly three decimals, so that events of one second sort as text.
const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// EventOf returns an event of a run as it goes over the wire.
func EventOf(e event.Event) Event {
	return Event{
		RunID: e.RunID,
		Seq:   e.Seq,
		TS:    e.Time.UTC().Format(timeLayout),
		Type:  e.Data.Type(),
		Data:  dataOf(e.Data),
	}
}

// EventsOf returns events as they go over the wire; never nil, so that JSON shows an empty list.
func EventsOf(events []event.Event) []Event {
	wire := make([]Event, 0, len(events))
	for _, e := range events {
		wire = append(wire, EventOf(e))
	}
	return wire
}

func dataOf(d event.Data) any {
	switch d := d.(type) {
	case event.RunStarted:
		return startedOf(d)
	case event.RunResumed:
		return resumedOf(d)
	case event.FilesSkipped:
		return skippedOf(d)
	case event.SecretsRedacted:
		return redactedOf(d)
	case event.Unknown:
		return d.Raw
	case event.GraphBuilt, event.GraphGrown, event.Planned, event.NodeChanged:
		return graphDataOf(d)
	case event.ModelCalled, event.ToolUsed, event.BatchWaiting, event.ModelWarming, event.ModelWarmed, event.Spent:
		return modelDataOf(d)
	case event.Reviewed, event.AnswerReady, event.SpecKept:
		return readingDataOf(d)
	case event.GateStarted, event.GateFinished, event.TaskClassified, event.WorkReported, event.AttemptJudged, event.Diagnosed, event.Learned:
		return attemptDataOf(d)
	case event.Asked:
		return askOf(d.Question)
	case event.Answered:
		return Answered{AskID: d.QuestionID, Choice: d.Choice, Text: d.Text}
	case event.ProposalReady:
		return ProposalReady{ProposalID: d.ProposalID, Files: d.Files, Hunks: d.Hunks, Unverified: d.Unverified}
	case event.RunEnded:
		return RunEnded{State: string(d.State), Reason: d.Reason}
	default:
		bug.Reportf("event %q has no form on the wire", d.Type())
		return struct{}{}
	}
}

// modelDataOf is dataOf of what is told of models, and of what was done for them.
func modelDataOf(d event.Data) any {
	switch d := d.(type) {
	case event.ModelCalled:
		return ModelCall{
			Node: d.Node, Attempt: d.Attempt, Round: d.Round, Model: d.Model,
			Input: d.Input, Output: d.Output, CacheRead: d.CacheRead, CacheWrite: d.CacheWrite, Cost: CostOf(d.Cost), Cached: d.Cached,
			ElapsedMS: d.Elapsed.Milliseconds(), Failure: d.Failure, StandIn: d.StandIn,
			Prompt: promptMadeOf(d.Manifest),
		}
	case event.ToolUsed:
		return ToolUsed(d)
	case event.BatchWaiting:
		return batchWaitingOf(d)
	case event.ModelWarming:
		return ModelWarming(d)
	case event.ModelWarmed:
		return ModelWarmed{Node: d.Node, Attempt: d.Attempt, Model: d.Model, ElapsedMS: d.Elapsed.Milliseconds(), Failure: d.Failure}
	case event.Spent:
		return spentOf(d)
	default:
		bug.Reportf("event %q is not of models", d.Type())
		return struct{}{}
	}
}

// attemptDataOf is dataOf of what is told of attempts and their gates.
func attemptDataOf(d event.Data) any {
	switch d := d.(type) {
	case event.GateStarted:
		return GateStarted{Node: d.Node, Attempt: d.Attempt, Gate: d.Gate, Index: d.Index, Of: d.Of}
	case event.GateFinished:
		return GateFinished{Node: d.Node, Attempt: d.Attempt, Gate: GateOf(d.Report)}
	case event.TaskClassified:
		return ClassOf(d.Class)
	case event.WorkReported:
		return workOf(d)
	case event.AttemptJudged:
		return AttemptOf(d)
	case event.Diagnosed:
		return diagnosedOf(d)
	case event.Learned:
		return learnedOf(d)
	default:
		bug.Reportf("event %q is not of attempts", d.Type())
		return struct{}{}
	}
}

// readingDataOf is dataOf of what models made that is no change.
func readingDataOf(d event.Data) any {
	switch d := d.(type) {
	case event.Reviewed:
		return Reviewed{Node: d.Node, Attempt: d.Attempt, Review: GateOf(d.Report), Note: d.Report.Output}
	case event.AnswerReady:
		return AnswerReady(d)
	case event.SpecKept:
		return SpecKept(d)
	default:
		bug.Reportf("event %q is no answer", d.Type())
		return struct{}{}
	}
}

func startedOf(s event.RunStarted) RunStarted {
	wire := RunStarted{
		Task: s.Task, Folder: FileURI(s.Folder), Model: s.Model, Recipe: s.Way.Recipe, Mode: s.Way.Mode, Profile: s.Way.Profile,
	}
	if s.Class.Kind != "" {
		class := ClassOf(s.Class)
		wire.Class = &class
	}
	return wire
}

func resumedOf(r event.RunResumed) RunResumed {
	wire := RunResumed{Model: r.Model, Stuck: make([]Attempt, 0, len(r.Stuck)), MoreAttempts: r.MoreAttempts}
	for _, a := range r.Stuck {
		wire.Stuck = append(wire.Stuck, Attempt(a))
	}
	for _, a := range r.Judge {
		wire.Judge = append(wire.Judge, Attempt(a))
	}
	return wire
}

func skippedOf(s event.FilesSkipped) FilesSkipped {
	wire := FilesSkipped{Base: s.Base, Files: make([]SkippedFile, 0, len(s.Files))}
	for _, f := range s.Files {
		wire.Files = append(wire.Files, SkippedFile(f))
	}
	return wire
}

func redactedOf(r event.SecretsRedacted) SecretsRedacted {
	wire := SecretsRedacted{Secrets: make([]RedactedSecret, 0, len(r.Secrets))}
	for _, s := range r.Secrets {
		wire.Count += s.Count
		wire.Secrets = append(wire.Secrets, RedactedSecret(s))
	}
	return wire
}

func graphOf(g event.GraphBuilt) Graph {
	wire := Graph{Base: g.Base, Nodes: make([]Node, 0, len(g.Nodes)), Edges: make([]Edge, 0, len(g.Edges)), Attempts: g.Attempts}
	for _, n := range g.Nodes {
		wire.Nodes = append(wire.Nodes, nodeOf(n))
	}
	for _, e := range g.Edges {
		wire.Edges = append(wire.Edges, Edge{From: e.From, To: e.To, Type: edgeTypes[e.Type]})
	}
	return wire
}

var edgeTypes = map[graph.EdgeType]string{
	graph.Normal:     "normal",
	graph.ReviewFail: "review_fail",
	graph.ReviewPass: "review_pass",
	graph.Escalate:   "escalate",
	graph.Failure:    "failed",
}

var nodeStatuses = map[graph.Status]string{
	graph.Pending: "PENDING",
	graph.Running: "RUNNING",
	graph.Done:    "DONE",
	graph.Blocked: "BLOCKED",
	graph.Failed:  "FAILED",
	graph.Skipped: "SKIPPED",
}

func nodeOf(n graph.Node) Node {
	return Node{ID: n.ID, Kind: n.Kind, Status: nodeStatuses[n.Status], Attempt: n.Attempt, Reason: n.Reason, Signal: n.Signal.String()}
}

func askOf(q ask.Question) Ask {
	wire := Ask{AskID: q.ID, Kind: string(q.Kind), Title: q.Title, Detail: q.Detail, Default: q.Default, FreeText: q.FreeText}
	wire.Choices = make([]Choice, 0, len(q.Choices))
	for _, c := range q.Choices {
		wire.Choices = append(wire.Choices, Choice{ID: c.ID, Title: c.Title})
	}
	return wire
}

var severities = map[gate.Severity]string{
	gate.SeverityError:   "error",
	gate.SeverityWarning: "warning",
	gate.SeverityInfo:    "info",
}

// GateOf returns a gate's report as it goes over the wire.
func GateOf(r gate.Report) Gate {
	wire := Gate{
		Name: r.Gate, Verdict: r.Verdict.String(), Summary: r.Summary, Weight: r.Weight.String(), Findings: make([]Finding, 0, len(r.Findings)), Known: r.Known, Flaky: r.Flaky, Notice: r.Notice,
		Executed: r.Executed, Passed: r.Passed, ElapsedMS: r.Elapsed.Milliseconds(),
	}
	for _, f := range r.Findings {
		severity, known := severities[f.Severity]
		if !known {
			severity = "error" // a finding nobody ranked is not harmless
		}
		wire.Findings = append(wire.Findings, Finding{
			Path: f.Path, Line: f.Line, Column: f.Column, EndLine: f.EndLine, Severity: severity,
			Rule: f.Rule, Message: f.Message, Test: f.Test,
		})
	}
	return wire
}
