package api

import (
	"forge/engine"
	"forge/engine/event"
)

// ClassOf is a kind of work on the wire.
func ClassOf(c event.Class) Class { return Class(c) }

// Classify says what kind of work a task is.
func Classify(a ClassifyArgs) Class { return ClassOf(engine.Classify(a.Task, a.Path)) }

// ProgressOf is how the latest attempt of a run came out, if there was one.
func ProgressOf(a *event.AttemptJudged) *AttemptJudged {
	if a == nil {
		return nil
	}
	wire := AttemptOf(*a)
	return &wire
}

// AttemptOf is how an attempt came out, on the wire.
func AttemptOf(a event.AttemptJudged) AttemptJudged {
	wire := AttemptJudged(a)
	wire.Failures = listOf(a.Failures)
	return wire
}

func workOf(w event.WorkReported) WorkReported {
	wire := WorkReported{
		Part: w.Part, Node: w.Node, Attempt: w.Attempt, State: string(w.State), Reason: w.Reason, Concerns: listOf(w.Concerns),
		Tools: make([]ToolCount, 0, len(w.Tools)),
	}
	for _, t := range w.Tools {
		wire.Tools = append(wire.Tools, ToolCount(t))
	}
	return wire
}

func diagnosedOf(d event.Diagnosed) Diagnosed {
	wire := Diagnosed(d)
	wire.MustRead = listOf(d.MustRead)
	return wire
}

func learnedOf(l event.Learned) Learned {
	wire := Learned{Part: l.Part, Attempt: l.Attempt, Patterns: make([]LearnedPattern, 0, len(l.Patterns))}
	for _, p := range l.Patterns {
		wire.Patterns = append(wire.Patterns, LearnedPattern(p))
	}
	return wire
}

// listOf is a list that is one on the wire, also when it is empty.
func listOf(texts []string) []string { return append([]string{}, texts...) }
