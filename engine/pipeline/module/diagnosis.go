package module

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"forge/engine/agent"
	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/overseer"
	"forge/engine/pipeline/dialogue"
	"forge/engine/pipeline/work"
	"forge/engine/prompt"
	"forge/engine/step"
)

// diagnosis determines why attempts fail, and what the next one does differently.
type diagnosis struct {
	*work.Module
	prompter *dialogue.Prompter

	trouble    string         // failure of the last attempt
	tried      map[string]try // the last try of each phase that failed
	class      string         // class of the last examined attempt
	causes     []string       // root causes from the debugger
	strategies []string       // strategies from the debugger
	lost       []step.Place   // of roles that could not be called
}

// continues is the outcome that lets the attempt begin.
var continues = graph.Outcome{Status: graph.Done}

// remedy is the consequence of a failure for the next attempt.
type remedy struct {
	advice []prompt.Section // for the documents of the next attempt
	causes []prompt.Section // likewise, by the debugger
	read   []string         // files that must be read before it
}

// diagnose examines the failure before an attempt that is not the first, and returns what the next attempt sees and must read. With
// another outcome than Done the run ends: no further attempt would help, for the reason that is reported.
//
// The rules come first and are free. The debugger is called if they found something, and before the last attempt.
func (dg *diagnosis) diagnose(ctx context.Context, n graph.Node) (found remedy, o graph.Outcome) {
	if len(dg.History.Verdicts) == 0 {
		return found, continues
	}
	var err error
	if dg.trouble, err = dg.describeTrouble(ctx, n, dg.History.Last()); err != nil {
		return found, work.BlockedBy("show what went wrong", err)
	}
	dg.recall()
	facts, err := dg.facts(ctx, n)
	if err != nil {
		return found, work.BlockedBy("look at what was tried", err)
	}
	sign, hint, o := dg.decideClass(ctx, n, overseer.Classify(facts))
	if o.Status != graph.Done {
		return found, o
	}
	found = remedy{advice: hint, read: sign.MustRead}
	dg.class = string(sign.Class)
	told := event.Diagnosed{Part: dg.Job.ID, Attempt: n.Attempt, Class: dg.class, Rule: sign.Rule, Reason: sign.Reason}
	if o := dg.end(n, sign); o.Status != graph.Done {
		dg.Run.Emit(told)
		return found, o
	}
	if dg.needsDebugger(n, sign) {
		said, o := dg.debug(ctx, n, sign, facts.Unread)
		if o.Status != graph.Done {
			return found, o
		}
		told.RootCause, told.Strategy, told.Reproduced = said.RootCause, said.Strategy, said.reproducedWith
		found.read = work.Union(found.read, said.MustRead)
		found.causes = said.sections()
	}
	told.MustRead = found.read
	dg.Run.Emit(told)
	return found, continues
}

// needsDebugger reports whether a call of the debugger is worth its price: not for an unusable answer, whose error explains itself.
func (dg *diagnosis) needsDebugger(n graph.Node, s overseer.Sign) bool {
	if reports := dg.History.Last().Reports; len(reports) == 1 && reports[0].Gate == work.NodeExecutor {
		return false
	}
	return s.Class == overseer.Stuck || s.Class == overseer.MissingContext || n.Attempt >= dg.Run.Limit(n.Attempt)
}

// end returns the consequence of a class before the next attempt. Attempts that were stuck, got a debugger's help and are stuck
// again are not repeated. If the user resumed the run, it continues nevertheless.
func (dg *diagnosis) end(n graph.Node, s overseer.Sign) graph.Outcome {
	if dg.Run.Retried(n) > 0 {
		return continues
	}
	switch s.Class {
	case overseer.Blocked:
		if len(dg.History.Verdicts) < 2 || dg.History.ResumedAt(n.Attempt) { // one attempt is no proof that no edit helps
			return continues
		}
		dg.History.Decide()
		return graph.Outcome{Status: graph.Blocked, Reason: fmt.Sprintf("Blocked: %s. What helps: %s", strings.TrimRight(s.Reason, "."), s.Unblock)}
	case overseer.Stuck:
		if !dg.History.ResumedAt(n.Attempt) && len(dg.strategies) > 0 && overseer.Assess(dg.History.Outcomes(len(dg.History.Verdicts)-1)).Recommendation == overseer.RecommendEscalate {
			dg.History.Decide()
			return graph.Outcome{Status: graph.Blocked, Reason: fmt.Sprintf(
				"Blocked: %d attempts came no nearer, the last with another strategy: %s. The last one failed with: %s", len(dg.History.Verdicts), s.Reason, dg.History.Last().Reason)}
		}
	case overseer.None, overseer.MissingContext, overseer.Unclear:
	}
	return continues
}

// facts returns what the run knows about its attempts.
func (dg *diagnosis) facts(ctx context.Context, n graph.Node) (overseer.Facts, error) {
	last := dg.History.Last()
	f := overseer.Facts{
		Attempts: dg.History.Outcomes(len(dg.History.Verdicts)), Request: dg.asksFor(), Causes: dg.causes, Read: dg.Findings.Shown,
	}
	for _, report := range last.Reports {
		if report.Gate == work.NodeReview || report.Gate == work.NodeExecutor {
			f.Opinions = append(f.Opinions, report)
		} else {
			f.Reports = append(f.Reports, report)
		}
	}
	for _, t := range dg.History.Verdicts {
		for _, e := range t.Edits {
			f.Actions = append(f.Actions, overseer.Action{Tool: "edit", Result: e.Digest})
			f.Edited = append(f.Edited, e.Paths)
		}
	}
	if !slices.ContainsFunc(last.Reports, func(g gate.Report) bool { return len(g.Findings) > 0 }) {
		return f, nil
	}
	list, err := step.ActivityFiles.Call(ctx, dg.Run.Flow, work.At(n), "files/diagnosis", last.Tree)
	if err != nil {
		return f, err
	}
	known := slices.Concat(dg.Findings.Shown, dg.History.Created())
	f.Unread = slices.DeleteFunc(list.Paths, func(p string) bool { return slices.Contains(known, p) })
	return f, dg.define(ctx, n, &f)
}

// define finds the definitions of unresolved names. The run continues without those that are not found.
func (dg *diagnosis) define(ctx context.Context, n graph.Node, f *overseer.Facts) error {
	names := overseer.Unresolved(f.Reports)
	if len(names) == 0 || len(f.Unread) == 0 {
		return nil
	}
	found, err := step.ActivityDefined.Call(ctx, dg.Run.Flow, work.At(n), "defined", step.DefinedCall{State: dg.History.Last().Tree, Names: names})
	if _, missing := work.AsFailure(err); missing {
		return nil
	}
	f.Defined = map[string][]string{}
	for _, d := range found {
		f.Defined[d.Name] = append(f.Defined[d.Name], d.Path)
	}
	return err
}

// asksFor returns the whole request: errors that it names do not indicate a fault of the machine.
func (dg *diagnosis) asksFor() string {
	text := dg.Run.Task.Text + "\n" + dg.Run.Spec
	if dg.Tests.Written != nil {
		text += "\n" + dg.Tests.Written.Unified(0)
	}
	return text
}

// decideClass chooses one sign from the rules' result: a model may break a tie, and if it cannot, the user is asked, who may give a
// hint for the next attempt.
func (dg *diagnosis) decideClass(ctx context.Context, n graph.Node, f overseer.Finding) (overseer.Sign, []prompt.Section, graph.Outcome) {
	if f.Class != overseer.Unclear {
		return f.Sign, nil, continues
	}
	sign, o := dg.breakTie(ctx, n, f)
	if o.Status != graph.Done || sign.Class != overseer.Unclear {
		return sign, nil, o
	}
	return dg.askWhy(ctx, n, sign)
}

const overseerInstructions = `You supervise failing attempts to change a code base. You do not write code. Rules have found two explanations that
exclude each other; decide which one is right. Answer with one JSON object:
- "class": the word before that explanation, or "unclear" if you cannot tell.
- "reason": one sentence, citing the message that shows it.`

// tieBreak is the overseer's answer.
type tieBreak struct {
	Class  string `json:"class" jsonschema:"one of the words given"`
	Reason string `json:"reason" jsonschema:"one sentence"`

	Requests []dialogue.Glance `json:"requests,omitempty" jsonschema:"what to see first; normally empty"`
}

// breakTie asks a model which of several signs applies. Another answer counts as none.
func (dg *diagnosis) breakTie(ctx context.Context, n graph.Node, f overseer.Finding) (overseer.Sign, graph.Outcome) {
	var signs strings.Builder
	words := []string{string(overseer.Unclear)}
	for _, s := range f.Tie {
		fmt.Fprintf(&signs, "- %s: %s\n", s.Class, s.Reason)
		words = append(words, string(s.Class))
	}
	adviser := dialogue.NewAdviser(dg.Module, agent.Overseer, dg.History.Last().Tree)
	answer, o := dialogue.Answer(ctx, adviser, n, step.Step[tieBreak]{
		Place: dg.Job.At(work.RoleOverseer, n), Name: "class", Key: work.Again("class", dg.Run.Retried(n)), MaxTokens: 512,
		Check: func(t tieBreak) error { return work.OneOf("class", t.Class, words...) },
		Document: dg.prompter.Compose(work.RoleOverseer, overseerInstructions+adviser.Rules(),
			prompt.Section{Kind: prompt.Errors, Name: "What failed", Text: dg.trouble, Data: true, Cut: 1},
			prompt.Section{Kind: prompt.Errors, Name: "Explanations", Text: signs.String(), Data: true}),
	}, func(t tieBreak) []dialogue.Glance { return t.Requests }, func(s step.Step[tieBreak]) (t tieBreak, o step.Outcome) {
		if o = dg.Budget.Count(); o.Signal != step.Success {
			return t, o
		}
		return step.Do(ctx, dg.Run.Env.Env, s)
	})
	switch o.Signal {
	case step.Success:
		sign := f.Choose(overseer.Class(answer.Class))
		if sign.Class != overseer.Unclear {
			sign.Rule = "model"
		}
		return sign, continues
	case step.Retryable:
		return f.Sign, continues
	case step.NeedsHuman, step.Terminal:
	}
	dg.lose(work.RoleOverseer, n)
	return f.Sign, work.Outcome(o, graph.Normal)
}

// askWhy asks the user what neither rules nor a model can decide. The careful answer is to stop; the next attempt sees the user's
// text.
func (dg *diagnosis) askWhy(ctx context.Context, n graph.Node, s overseer.Sign) (overseer.Sign, []prompt.Section, graph.Outcome) {
	answer, err := dg.Questions.Ask(ctx, n, event.Question{
		Kind: event.AskUnblock, Title: "Attempts fail, and the cause is unknown. Continue?", Detail: s.Reason + "\n\n" + prompt.Fence(dg.trouble),
		Choices: []event.Choice{{ID: "stop", Title: "Stop"}, {ID: "go on", Title: "Try again"}}, Default: "stop",
		FreeText: "what the next attempt should know",
	})
	hint := strings.TrimSpace(answer.Text)
	switch {
	case err != nil:
		return s, nil, work.Unanswered(ctx, err)
	case hint != "":
		return s, []prompt.Section{{Kind: prompt.Errors, Name: "Hint from the user", Text: hint}}, continues
	case answer.Choice != "go on":
		dg.History.Decide()
		return s, nil, graph.Outcome{Status: graph.Blocked, Reason: "Blocked: the cause of the failures is unknown: " + s.Reason + ". Say more about what is wanted, or fix it by hand"}
	}
	return s, nil, continues
}

// lose records that a role could not be called, so that a resumed run calls it again.
func (dg *diagnosis) lose(role string, n graph.Node) {
	dg.lost = append(dg.lost, dg.Job.At(role, n))
}
