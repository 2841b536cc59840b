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
	"forge/patch"
)

// try is what the author of the tests, or of the implementation, did in an attempt that failed, and why it was not accepted.
type try struct {
	name    string // of the section that shows the change
	note    string // before the change
	change  patch.ChangeSet
	trouble string // empty if the other author was at fault
}

// The notes before the changes of a failed attempt.
const (
	takenBack  = "It was taken back: the files are shown without it. Give the whole change again, corrected."
	notAtFault = "It was taken back because its tests were at fault; they have been written again since. Give the whole change again, so that it passes them."
	testsBack  = "They are yours, and were taken back: the files are shown without them. Give all of them again, corrected."
	mayStand   = ` If none of them has to change, set "done" and say why in the explanation: they then stay.`
)

// recall notes what the last attempt did before the next one begins: for the author whose work failed, and for the other one only if it was at
// fault too.
func (dg *diagnosis) recall() {
	if dg.tried == nil {
		dg.tried = map[string]try{}
	}
	code := try{name: "Your last attempt", note: takenBack, change: dg.Now.LastOf(work.PhaseImplementation), trouble: dg.trouble}
	switch {
	case dg.Now.Phase == work.PhaseTests:
		dg.tried[work.PhaseTests] = try{name: code.name, note: takenBack, change: dg.Now.LastOf(work.PhaseTests), trouble: dg.trouble}
		return
	case dg.Tests.FaultyTests && dg.Job.Way().RedTests && dg.Tests.Written != nil:
		tests := try{name: "Tests to rewrite", note: testsBack, change: *dg.Tests.Written, trouble: dg.trouble}
		if dg.Tests.MayStand() {
			tests.note += mayStand
		}
		dg.tried[work.PhaseTests] = tests
		if dg.Tests.HandedBack { // it is made for other tests then
			delete(dg.tried, work.PhaseImplementation)
			return
		}
		if !dg.Tests.CodeToo {
			code.note, code.trouble = notAtFault, ""
		}
	}
	dg.tried[work.PhaseImplementation] = code
}

// afterwards returns the last sections of a phase's prompt after a failed attempt: what its author did in the last one, and at the very end why
// that was not accepted. There are none if its author has not failed.
func (dg *diagnosis) afterwards(n graph.Node, phase string) (sections []prompt.Section) {
	last, failed := dg.tried[phase]
	if !failed {
		return nil
	}
	if text := last.change.Unified(3); text != "" {
		sections = append(sections, prompt.Section{Kind: prompt.Errors, Name: last.name, Note: last.note, Text: text, Data: true, Cut: 2})
	}
	if last.trouble == "" {
		return sections
	}
	name := fmt.Sprintf("Attempt %d of %d. Why the last one was not accepted", n.Attempt, max(n.Attempt, dg.Run.Limit(n.Attempt)))
	return append(sections, prompt.Section{Kind: prompt.Errors, Name: name, Text: last.trouble, Data: true})
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
		Part: dg.Job.ID, Attempt: dg.Now.Number, Of: max(dg.Now.Number, dg.Run.AllAttempts()), Passed: last.Passed, Total: last.Total, Score: a.Score, Velocity: a.Velocity,
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
