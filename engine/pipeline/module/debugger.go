package module

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/engine/agent"
	"forge/engine/graph"
	"forge/engine/overseer"
	"forge/engine/pipeline/dialogue"
	"forge/engine/pipeline/work"
	"forge/engine/prompt"
	"forge/engine/step"
	"forge/internal/lazyregexp"
)

const debuggerInstructions = `You find out why a change to a code base fails. You do not write the change. Trace the failure through the code
shown, form hypotheses, rule out those that do not explain every message, and name the root cause. The tests define what
is wanted: never propose to weaken, skip or delete one. Answer with one JSON object:
- "rootCause": one sentence; the one cause that explains every failure.
- "hypotheses": other possible causes and what rules each of them out; at most five.
- "fix": what to change in the code.
- "mustRead": paths, from those listed, that must be read before the fix; normally empty, at most eight.
- "strategy": one sentence; how the next attempt should proceed, differently from earlier attempts.
- "requests": normally empty. To reproduce the failure first, ask for at most eight calls of tools, each with "provider", "args" and "why"
  (a few words), and leave the other fields empty: you are asked again, with the results. The tools work in a copy of the failed attempt.
- "reproduced": the number of the result in "Looked at" that shows the failure; 0 if you did not reproduce it.
The tools:
`

// The limits of a diagnosis.
const (
	maxHypotheses, maxMustRead = 5, 8
	maxTrials                  = 2    // rounds of calling tools before the diagnosis
	debuggerReply              = 2048 // tokens
)

// debugging is the debugger's answer. It contains no confidence.
type debugging struct {
	RootCause  string           `json:"rootCause" jsonschema:"one sentence"`
	Hypotheses []string         `json:"hypotheses" jsonschema:"at most five"`
	Fix        string           `json:"fix"`
	MustRead   []string         `json:"mustRead" jsonschema:"paths, normally empty"`
	Strategy   string           `json:"strategy" jsonschema:"one sentence"`
	Requests   []dialogue.Trial `json:"requests,omitempty" jsonschema:"tools to call first; normally empty"`
	Reproduced int              `json:"reproduced,omitempty" jsonschema:"number of the result that shows the failure"`

	reproducedWith string // the call that Reproduced means
}

// debug asks why the last attempt failed. The debugger may first call tools in the tree of that attempt, to reproduce the failure. A useless
// answer is dropped: the attempt is made without it. Repeating a failed strategy ends the run.
func (dg *diagnosis) debug(ctx context.Context, n graph.Node, s overseer.Sign, unread []string) (debugging, graph.Outcome) {
	errand := work.NewErrand(dg.Run, dg.Job.At(work.RoleDebugger, n), dg.Run.Retried(n), agent.Debugger, fmt.Sprintf("Why did attempt %d fail?", dg.Now.Number))
	shown := dg.evidence(n, s, unread)
	if err := errand.Begin(ctx, shown, maxTrials+1, debuggerReply); err != nil {
		return debugging{}, work.BlockedBy("begin the diagnosis", err)
	}
	b := &bench{dg: dg, looks: &dialogue.Looker{Module: dg.Module, Agent: agent.Named(agent.Debugger), Tree: dg.History.Last().Tree, Findings: &work.Findings{}, Charged: true}}
	d, o := b.rounds(ctx, n, errand, shown)
	if o.Signal == step.NeedsHuman || o.Signal == step.Terminal {
		dg.lose(work.RoleDebugger, n)
		return d, work.Outcome(o, graph.Normal)
	}
	ended := work.OneLine(d.RootCause)
	if o.Signal == step.Retryable {
		ended = o.Reason
	}
	if err := errand.End(ctx, ended, o.Signal == step.Retryable); err != nil {
		return d, work.BlockedBy("end the diagnosis", err)
	}
	switch {
	case o.Signal == step.Retryable:
		return debugging{}, continues
	case b.again && dg.Run.Retried(n) == 0:
		dg.History.Decide()
		return d, graph.Outcome{Status: graph.Blocked, Reason: fmt.Sprintf(
			"Blocked: the debugger knows no other strategy than the one that failed (%s). The last attempt failed with: %s", d.Strategy, dg.History.Last().Reason)}
	}
	dg.causes, dg.strategies = append(dg.causes, d.RootCause), append(dg.strategies, d.Strategy)
	d.MustRead = slices.DeleteFunc(d.MustRead, func(p string) bool { return !slices.Contains(unread, p) })
	return d, continues
}

// bench is where the debugger works: the tree of the failed attempt, and what it has called there.
type bench struct {
	dg      *diagnosis
	looks   *dialogue.Looker
	left    int  // rounds of calling tools
	refused int  // strategies that were tried before
	again   bool // such a strategy was repeated
}

// rounds asks for the diagnosis, and calls the tools that the debugger asks for first.
func (b *bench) rounds(ctx context.Context, n graph.Node, errand *work.Errand, shown []prompt.Section) (debugging, step.Outcome) {
	dg, tools := b.dg, b.looks.Agent.Set().With(b.dg.Run.Grants).Describe()
	for b.left = maxTrials; ; b.left-- {
		if o := dg.Budget.Count(); o.Signal != step.Success {
			return debugging{}, o
		}
		key := "diagnosis"
		if done := maxTrials - b.left; done > 0 {
			key = fmt.Sprintf("diagnosis/reproduced %d", done)
		}
		d, o := step.Do(ctx, dg.Run.Env.Env, step.Step[debugging]{
			Emit: errand.Emit, Place: dg.Job.At(work.RoleDebugger, n), Name: "diagnosis", Key: work.Again(key, dg.Run.Retried(n)), MaxTokens: debuggerReply, Check: b.check,
			Document: dg.prompter.Compose(work.RoleDebugger, debuggerInstructions+tools,
				slices.Concat(shown[:len(shown)-1], b.looks.Findings.Sections(), shown[len(shown)-1:])...),
		})
		if o.Signal != step.Success || len(d.Requests) == 0 {
			d.reproducedWith = b.looks.Failing(d.Reproduced)
			return d, o
		}
		if _, o := b.looks.Look(ctx, n, work.Again(fmt.Sprintf("reproduce %d", maxTrials-b.left+1), dg.Run.Retried(n)), dialogue.RequestsOf(d.Requests)); o.Signal != step.Success {
			return d, o
		}
	}
}

// check rejects an answer that asks for too much, claims what was not seen, or repeats a strategy.
func (b *bench) check(d debugging) error {
	if len(d.Requests) > 0 {
		if b.left == 0 {
			return errors.New(`no more tools are called: leave "requests" empty, and give the diagnosis`)
		}
		return dialogue.CheckRequests(len(d.Requests))
	}
	if err := d.check(); err != nil {
		return err
	}
	if d.Reproduced != 0 && b.looks.Failing(d.Reproduced) == "" {
		return fmt.Errorf(`"reproduced" is %d, and no result with this number shows a failing command or test: give 0`, d.Reproduced)
	}
	if b.dg.wasTried(d.Strategy) {
		if b.again = b.refused > 0; !b.again {
			b.refused++
			return errors.New(`this "strategy" was tried and failed: name another one`)
		}
	}
	return nil
}

// evidence is what the debugger sees: the request, the attempts, and the failures of the last one.
func (dg *diagnosis) evidence(n graph.Node, s overseer.Sign, unread []string) []prompt.Section {
	sections := dg.Run.Specification()
	if len(unread) > 0 {
		sections = append(sections, prompt.Section{Kind: prompt.Map, Name: "Files not read so far", Text: strings.Join(unread, "\n"), Data: true, Cut: 3})
	}
	sections = append(sections, prompt.Section{Kind: prompt.Errors, Name: "Earlier attempts", Text: dg.History.Summary(), Data: true, Cut: 2},
		prompt.Section{Kind: prompt.Errors, Name: "The last attempt", Text: dg.Now.Last.Unified(3), Data: true, Cut: 1})
	if s.Reason != "" {
		sections = append(sections, prompt.Section{Kind: prompt.Errors, Name: "Diagnosis of the overseer", Text: fmt.Sprintf("%s: %s", s.Class, s.Reason), Data: true})
	}
	if n.Attempt >= 3 && len(dg.strategies) > 0 {
		sections = append(sections, prompt.Section{Kind: prompt.Errors, Name: "Strategies that failed; choose a different one",
			Text: "- " + strings.Join(dg.strategies, "\n- "), Data: true})
	}
	return append(sections, prompt.Section{Kind: prompt.Errors, Name: "What failed", Text: dg.trouble, Data: true, Cut: 1})
}

func (d debugging) check() error {
	switch {
	case strings.TrimSpace(d.RootCause) == "" || strings.TrimSpace(d.Fix) == "" || strings.TrimSpace(d.Strategy) == "":
		return errors.New(`"rootCause", "fix" and "strategy" must not be empty`)
	case len(d.Hypotheses) > maxHypotheses:
		return fmt.Errorf(`%d "hypotheses" are too many: give at most %d`, len(d.Hypotheses), maxHypotheses)
	case len(d.MustRead) > maxMustRead:
		return fmt.Errorf(`%d paths in "mustRead" are too many: give at most %d`, len(d.MustRead), maxMustRead)
	}
	for _, text := range []string{d.Fix, d.Strategy} {
		if weakens(text) {
			return fmt.Errorf("%q would weaken a test: tests state what is wanted, so fix the code", work.Clip(text))
		}
	}
	return nil
}

// weakening matches proposals to weaken a test; the preceding words are checked for a "not".
var weakening = lazyregexp.New(`(?i)\b(skip|delete|remove|weaken|loosen|relax|disable|ignore|comment out|change|rewrite|edit|adjust)\w*\s+((the|this|that|these|those|an?|some|any|all|its|failing|frozen|flaky|new|old)\s+){0,3}(\S+_)?(tests?|assertions?|expectations?|test cases?)\b`)

var negation = lazyregexp.New(`(?i)\b(not|never|without|n't|no need to|instead of|rather than)\s*(\S+\s+){0,2}$`)

func weakens(text string) bool {
	for _, at := range weakening.FindAllStringIndex(text, -1) {
		if !negation.MatchString(text[:at[0]]) {
			return true
		}
	}
	return false
}

// wasTried reports whether a strategy has failed already, possibly in other words.
func (dg *diagnosis) wasTried(strategy string) bool {
	return slices.ContainsFunc(dg.strategies, func(s string) bool { return overseer.SameStrategy(s, strategy) })
}

// sections returns the answer for the next attempt; none for a useless answer.
func (d debugging) sections() []prompt.Section {
	if d.RootCause == "" {
		return nil
	}
	text := fmt.Sprintf("Root cause: %s\nFix: %s\nStrategy: %s", d.RootCause, d.Fix, d.Strategy)
	if d.reproducedWith != "" {
		text += "\nReproduced with: " + d.reproducedWith
	}
	return []prompt.Section{{Kind: prompt.Errors, Name: "Diagnosis of the debugger", Text: text, Data: true, Cut: 1}}
}
