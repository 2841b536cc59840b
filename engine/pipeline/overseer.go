package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/engine/ask"
	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/overseer"
	"forge/engine/prompt"
	"forge/engine/step"
	"forge/patch"
)

// The roles that models have beside the nodes: calls of them are routed by these names.
const (
	roleOverseer = "overseer"
	roleDebugger = "debugger"
)

// goesOn is the outcome of a diagnosis after which the attempt begins.
var goesOn = graph.Outcome{Status: graph.Done}

// diagnosis is what went wrong with an attempt, for the next one.
type diagnosis struct {
	advice []prompt.Section // of the documents of the next attempt
	read   []string         // files that must be read before it
}

// diagnose looks at what failed before an attempt that is not the first, and says what the next one is told and what must be read before
// it. With another outcome than Done the run ends there: no further attempt would help, and its reason says why.
//
// The rules come first and cost nothing. The debugger is asked where they found something, and before the last attempt.
func (m *module) diagnose(ctx context.Context, n graph.Node) (d diagnosis, o graph.Outcome) {
	if len(m.tries) == 0 {
		return d, goesOn
	}
	var err error
	if m.trouble, err = m.describeTrouble(ctx, n, m.lastTry()); err != nil {
		return d, blockedBy("show what went wrong", err)
	}
	facts, err := m.facts(ctx, n)
	if err != nil {
		return d, blockedBy("look at what was tried", err)
	}
	sign, hint, o := m.decideClass(ctx, n, overseer.Classify(facts))
	if o.Status != graph.Done {
		return d, o
	}
	d = diagnosis{advice: hint, read: sign.MustRead}
	m.class = string(sign.Class)
	told := event.Diagnosed{Part: m.id, Attempt: n.Attempt, Class: m.class, Rule: sign.Rule, Reason: sign.Reason}
	if o := m.end(n, sign); o.Status != graph.Done {
		m.Tell(told)
		return d, o
	}
	if m.needsDebugger(n, sign) {
		said, o := m.debug(ctx, n, sign, facts.Unread)
		if o.Status != graph.Done {
			return d, o
		}
		told.RootCause, told.Strategy = said.RootCause, said.Strategy
		d.read = merge(d.read, said.MustRead)
		d.advice = append(d.advice, said.sections()...)
	}
	told.MustRead = d.read
	m.Tell(told)
	return d, goesOn
}

// blockedBy is the outcome of what could not be done or kept.
func blockedBy(doing string, err error) graph.Outcome {
	return graph.Outcome{Status: graph.Blocked, Reason: fmt.Sprintf("%s: %v", doing, err)}
}

// needsDebugger reports whether it is worth the price of a call to have a model look for the cause: not for an answer that was of no use, which
// says itself what is wrong with it.
func (m *module) needsDebugger(n graph.Node, s overseer.Sign) bool {
	if reports := m.lastTry().reports; len(reports) == 1 && reports[0].Gate == nodeExecutor {
		return false
	}
	return s.Class == overseer.Stuck || s.Class == overseer.MissingContext || n.Attempt >= m.limit(n.Attempt)
}

// end is what a class means for the run before its next attempt. Attempts that were stuck, had a debugger's help and are stuck again are not
// made a third time. A person who has the run resumed has it tried all the same.
func (m *module) end(n graph.Node, s overseer.Sign) graph.Outcome {
	if m.retried(n) > 0 {
		return goesOn
	}
	switch s.Class {
	case overseer.Blocked:
		if len(m.tries) < 2 || m.resumedAt(n.Attempt) { // one attempt does not prove that no edit helps
			return goesOn
		}
		m.decided = true
		return graph.Outcome{Status: graph.Blocked, Reason: fmt.Sprintf("Blocked: %s. What helps: %s", strings.TrimRight(s.Reason, "."), s.Unblock)}
	case overseer.Stuck:
		if !m.resumedAt(n.Attempt) && len(m.strategies) > 0 && overseer.Assess(m.outcomes(len(m.tries)-1)).Recommendation == overseer.RecommendEscalate {
			m.decided = true
			return graph.Outcome{Status: graph.Blocked, Reason: fmt.Sprintf(
				"Blocked: %d attempts came no nearer, the last with another strategy: %s. The last one failed with: %s", len(m.tries), s.Reason, m.lastTry().reason)}
		}
	case overseer.None, overseer.MissingContext, overseer.Unclear:
	}
	return goesOn
}

// facts are what the run knows of its attempts.
func (m *module) facts(ctx context.Context, n graph.Node) (overseer.Facts, error) {
	last := m.lastTry()
	f := overseer.Facts{
		Attempts: m.outcomes(len(m.tries)), Request: m.asksFor(), Causes: m.causes, Read: m.saw,
	}
	for _, report := range last.reports {
		if report.Gate == nodeReview || report.Gate == nodeExecutor {
			f.Opinions = append(f.Opinions, report)
		} else {
			f.Reports = append(f.Reports, report)
		}
	}
	for _, t := range m.tries {
		for _, e := range t.edits {
			f.Actions = append(f.Actions, overseer.Action{Tool: "edit", Result: e.digest})
			f.Edited = append(f.Edited, e.paths)
		}
	}
	if !slices.ContainsFunc(last.reports, func(g gate.Report) bool { return len(g.Findings) > 0 }) {
		return f, nil
	}
	list, err := step.Call[step.Listing](ctx, m.Flow, at(n), "files/diagnosis", step.ActivityFiles, last.tree)
	if err != nil {
		return f, err
	}
	made := m.created()
	f.Unread = slices.DeleteFunc(list.Paths, func(p string) bool { return slices.Contains(m.saw, p) || slices.Contains(made, p) })
	return f, m.define(ctx, n, &f)
}

// created are the files that attempts have created: who wrote a file need not read it, and the next attempt begins without it.
func (m *module) created() (paths []string) {
	for _, t := range m.tries {
		for _, set := range t.tree.Changes {
			for _, f := range set.Files {
				if f.Kind == patch.Create {
					paths = merge(paths, []string{f.Path})
				}
			}
		}
	}
	return paths
}

// define finds where the names are defined that nobody could resolve. That nobody can tell is no failure of the run.
func (m *module) define(ctx context.Context, n graph.Node, f *overseer.Facts) error {
	names := overseer.Unresolved(f.Reports)
	if len(names) == 0 || len(f.Unread) == 0 {
		return nil
	}
	found, err := step.Call[[]step.Definition](ctx, m.Flow, at(n), "defined", step.ActivityDefined, step.DefinedCall{State: m.lastTry().tree, Names: names})
	if _, missing := asFailure(err); missing {
		return nil
	}
	f.Defined = map[string][]string{}
	for _, d := range found {
		f.Defined[d.Name] = append(f.Defined[d.Name], d.Path)
	}
	return err
}

// asksFor is all that the run was asked for: errors that are named there are no sign of a machine at fault.
func (m *module) asksFor() string {
	text := m.task.Text + "\n" + m.spec
	if m.tests != nil {
		text += "\n" + m.tests.Unified(0)
	}
	return text
}

// decideClass makes one sign of what the rules found: a model may break a tie between two of them, and what it cannot tell either is put to
// the person, who may have a hint for the next attempt.
func (m *module) decideClass(ctx context.Context, n graph.Node, f overseer.Finding) (overseer.Sign, []prompt.Section, graph.Outcome) {
	if f.Class != overseer.Unclear {
		return f.Sign, nil, goesOn
	}
	sign, o := m.breakTie(ctx, n, f)
	if o.Status != graph.Done || sign.Class != overseer.Unclear {
		return sign, nil, o
	}
	return m.askWhy(ctx, n, sign)
}

const overseerInstructions = `You watch over attempts to change a code base that fail. You do not write code. Rules have found two explanations
that exclude each other; say which one holds. Answer with one JSON object:
- "class": the one word that stands before the explanation; "unclear" if you cannot tell.
- "reason": one sentence, with what in the messages shows it.`

// tieBreak is the overseer's answer.
type tieBreak struct {
	Class  string `json:"class" jsonschema:"one of the words given"`
	Reason string `json:"reason" jsonschema:"one sentence"`
}

// breakTie asks a model which of several signs holds. Whatever it says that is none of them is as if it had not answered.
func (m *module) breakTie(ctx context.Context, n graph.Node, f overseer.Finding) (overseer.Sign, graph.Outcome) {
	if o := m.count(); o.Signal != step.Success {
		return f.Sign, outcome(o, graph.Normal)
	}
	var signs strings.Builder
	words := []string{string(overseer.Unclear)}
	for _, s := range f.Tie {
		fmt.Fprintf(&signs, "- %s: %s\n", s.Class, s.Reason)
		words = append(words, string(s.Class))
	}
	answer, o := step.Do(ctx, m.Env.Env, step.Step[tieBreak]{
		Place: m.as(roleOverseer, n), Name: "class", Key: name("class", m.retried(n)), MaxTokens: 512,
		Check: func(t tieBreak) error { return oneOf("class", t.Class, words...) },
		Document: m.compose(roleOverseer, overseerInstructions,
			prompt.Section{Kind: prompt.Errors, Name: "What failed", Text: m.trouble, Data: true, Cut: 1},
			prompt.Section{Kind: prompt.Errors, Name: "Explanations", Text: signs.String(), Data: true}),
	})
	switch o.Signal {
	case step.Success:
		sign := f.Choose(overseer.Class(answer.Class))
		if sign.Class != overseer.Unclear {
			sign.Rule = "model"
		}
		return sign, goesOn
	case step.Retryable:
		return f.Sign, goesOn
	case step.NeedsHuman, step.Terminal:
	}
	m.lose(roleOverseer, n)
	return f.Sign, outcome(o, graph.Normal)
}

// askWhy puts to the person what neither rules nor a model can tell. The careful answer is to stop; what they write is told to the
// next attempt.
func (m *module) askWhy(ctx context.Context, n graph.Node, s overseer.Sign) (overseer.Sign, []prompt.Section, graph.Outcome) {
	answer, err := m.ask(ctx, n, ask.Question{
		Kind: ask.Unblock, Title: "Attempts fail, and Forge cannot tell why. Go on?", Detail: s.Reason + "\n\n" + prompt.Fence(m.trouble),
		Choices: []ask.Choice{{ID: "stop", Title: "Stop"}, {ID: "go on", Title: "Try again"}}, Default: "stop",
		FreeText: "what the next attempt should know",
	})
	hint := strings.TrimSpace(answer.Text)
	switch {
	case err != nil:
		return s, nil, unanswered(ctx, err)
	case hint != "":
		return s, []prompt.Section{{Kind: prompt.Errors, Name: "What the person says about it", Text: hint}}, goesOn
	case answer.Choice != "go on":
		m.decided = true
		return s, nil, graph.Outcome{Status: graph.Blocked, Reason: "Blocked: nobody can tell why the attempts fail: " + s.Reason + ". Say more about what is wanted, or mend it by hand"}
	}
	return s, nil, goesOn
}

// lose notes that a role could not be asked, so that whoever has the run tried again has it asked again.
func (m *module) lose(role string, n graph.Node) {
	m.lost = append(m.lost, m.as(role, n))
}

// asFailure reports whether an error is one that an activity gave, and not one of keeping it.
func asFailure(err error) (*flow.Failure, bool) {
	var f *flow.Failure
	return f, errors.As(err, &f)
}

// merge are the paths of both, none twice.
func merge(a, b []string) []string {
	all := slices.Clone(a)
	for _, p := range b {
		if !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}
