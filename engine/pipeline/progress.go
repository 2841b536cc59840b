package pipeline

import (
	"context"
	"slices"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/overseer"
)

// faultReport is a report in the place of a gate's, for an attempt that did not come so far or that a reader did not accept.
func faultReport(of, reason string, findings ...gate.Finding) gate.Report {
	return gate.Report{Gate: of, Verdict: gate.Fail, Executed: 1, Summary: reason, Findings: findings}
}

// judge adds an attempt to those that were made, tells how it came out, and lets memory learn of it. An attempt is judged once.
// The error is for what could not be journaled.
func (m *module) judge(ctx context.Context, n graph.Node, reason string, reports []gate.Report) error {
	if len(m.history.tries) > 0 && m.history.tries[len(m.history.tries)-1].attempt == m.now.number {
		return nil
	}
	m.history.closeDraft(reason, reports)
	m.history.tries = append(m.history.tries, try{
		attempt: m.now.number, reason: reason, reports: reports, tree: m.now.tree, edits: m.now.edits, result: m.now.resulted, outcome: overseer.AttemptOf(reports),
	})
	a := m.history.assess()
	last := m.history.tries[len(m.history.tries)-1].outcome
	failures := slices.Clone(last.Failures)
	slices.Sort(failures)
	m.run.Tell(event.AttemptJudged{
		Part: m.job.id, Attempt: m.now.number, Of: m.run.attempts(), Passed: last.Passed, Total: last.Total, Score: a.Score, Velocity: a.Velocity,
		Failures: failures, Stagnation: stagnation(a), Recommendation: string(a.Recommendation),
	})
	return m.learn(ctx, n)
}

func stagnation(a overseer.Assessment) string {
	switch {
	case a.Same:
		return "same failures"
	case a.Oscillating:
		return "oscillation"
	case a.Plateau:
		return "no progress"
	}
	return ""
}
