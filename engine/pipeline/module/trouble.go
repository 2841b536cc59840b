package module

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/overseer"
	"forge/engine/pipeline/dialogue"
	"forge/engine/pipeline/work"
	"forge/engine/prompt"
	"forge/engine/step"
)

// afterwards returns the last sections of a prompt after a failed attempt: its changes, and at the very end the failure. A first
// attempt has none.
func (dg *diagnosis) afterwards(n graph.Node) []prompt.Section {
	if len(dg.History.Verdicts) == 0 {
		return nil
	}
	name := fmt.Sprintf("Attempt %d of %d. Why the last one was not accepted", n.Attempt, dg.Run.Limit(n.Attempt))
	return []prompt.Section{
		{Kind: prompt.Errors, Name: "Your last attempt", Text: dg.Now.Last.Unified(3), Data: true, Cut: 2},
		{Kind: prompt.Errors, Name: name, Text: dg.trouble, Data: true},
	}
}

// describeTrouble describes the failure of an attempt: failed gates, each place once with the code around it in the attempt. If no
// gate named a place, it is the attempt's reason.
func (dg *diagnosis) describeTrouble(ctx context.Context, n graph.Node, t work.Verdict) (string, error) {
	places, rest := dialogue.Pick(t.Reports)
	if len(places) == 0 {
		return t.Reason, nil
	}
	scopes, err := dg.scopesOf(ctx, n, t.Tree, places)
	return dialogue.Render(t.Reports, places, scopes, rest), err
}

// scopesOf returns the code around places. Missing scopes leave the messages alone.
func (dg *diagnosis) scopesOf(ctx context.Context, n graph.Node, tree step.State, places []dialogue.Place) (map[step.Location]step.Scope, error) {
	call := step.ScopesCall{State: tree}
	for _, p := range places {
		if p.At.Line > 0 {
			call.Places = append(call.Places, p.At)
		}
	}
	if len(call.Places) == 0 {
		return nil, nil
	}
	found, err := step.ActivityScopes.Call(ctx, dg.Run.Flow, work.At(n), "scopes", call)
	if failed := (*flow.Failure)(nil); errors.As(err, &failed) {
		return nil, nil
	}
	by := map[step.Location]step.Scope{}
	for _, s := range found {
		by[s.Location] = s
	}
	return by, err
}

// judge adds a finished attempt, reports its result, and lets memory learn from it. An attempt is judged once. The error is
// for a journal that failed.
func (dg *diagnosis) judge(ctx context.Context, n graph.Node, reason string, reports []gate.Report) error {
	if len(dg.History.Verdicts) > 0 && dg.History.Verdicts[len(dg.History.Verdicts)-1].Attempt == dg.Now.Number {
		return nil
	}
	dg.History.CloseDraft(reason, reports)
	dg.History.Add(work.Verdict{
		Attempt: dg.Now.Number, Reason: reason, Reports: reports, Tree: dg.Now.Tree, Edits: dg.Now.Edits, Result: dg.Now.Resulted, Outcome: overseer.AttemptOf(reports),
	})
	a := dg.History.Assess()
	last := dg.History.Verdicts[len(dg.History.Verdicts)-1].Outcome
	failures := slices.Clone(last.Failures)
	slices.Sort(failures)
	dg.Run.Emit(event.AttemptJudged{
		Part: dg.Job.ID, Attempt: dg.Now.Number, Of: dg.Run.AllAttempts(), Passed: last.Passed, Total: last.Total, Score: a.Score, Velocity: a.Velocity,
		Failures: failures, Stagnation: stagnation(a), Recommendation: string(a.Recommendation),
	})
	return dg.learn(ctx, n)
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
