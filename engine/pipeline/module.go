package pipeline

import (
	"context"

	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/pipeline/dialogue"
	"forge/engine/pipeline/judge"
	"forge/engine/pipeline/work"
	"forge/engine/step"
	"forge/patch"
)

// module is work that ends in one change: all of a task, or a part of it that a plan names. It has an explorer, an executor and a
// review of its own, and attempts of its own. What belongs to all modules of a run is the run's.
//
// The state that a node of a module writes is read only by nodes that wait for it, so that the graph's order is the only lock.
type module struct {
	*work.Module
	explorer  *explorer
	diagnosis *diagnosis
	reviewer  *reviewer
	executor  *executor
	prompter  *dialogue.Prompter
}

// newModule is a module that has done nothing yet. It may have as many exchanges with models and calls of tools as most and tools say.
// Its objects are made in order: one is given those made before it, so that there is no circle among them.
func newModule(gates *judge.Gates, j *work.Job, most, tools int) *module {
	u := work.NewModule(j, most, tools)
	checker := judge.NewChecker(u, gates)
	promises := judge.NewPromises(u, checker)
	joiner := judge.NewJoiner(u, checker)
	m := &module{Module: u, prompter: dialogue.NewPrompter(u, promises)}
	m.explorer = &explorer{Module: u, prompter: m.prompter}
	m.diagnosis = &diagnosis{Module: u, prompter: m.prompter}
	m.reviewer = &reviewer{Module: u, checker: checker, promises: promises, joiner: joiner, prompter: m.prompter, diagnosis: m.diagnosis}
	m.executor = &executor{Module: u, gates: gates, promises: promises, reds: judge.NewReds(u, checker), joiner: joiner, prompter: m.prompter, diagnosis: m.diagnosis}
	return m
}

// explore finds out what must be read before an attempt: before the first one by asking a model, before others from what went
// wrong. The attempt is made also where something could not be found out.
func (m *module) explore(ctx context.Context, n graph.Node) graph.Outcome {
	m.Findings.Advise(nil)
	m.enter()
	switch {
	case n.Attempt > 1:
		return m.prepare(ctx, n)
	case m.Job.Joins:
		return graph.Outcome{Status: graph.Done}
	}
	shown, err := m.prompter.Files(ctx, n, "context", m.Start.Tree)
	if err != nil {
		return work.Failed("look at the folder", err)
	}
	if shown.Whole || shown.Found { // who writes may ask for more, and pays for that alone
		return graph.Outcome{Status: graph.Done}
	}
	sections, err := m.prompter.Sections(ctx, n, m.Start.Tree, shown)
	if err != nil {
		return work.Failed("look at the folder", err)
	}
	return m.explorer.rounds(ctx, n, sections)
}

// prepare gets ready for another attempt: what went wrong says what must be read, and what is to be done differently.
func (m *module) prepare(ctx context.Context, n graph.Node) graph.Outcome {
	if m.History.JudgedBy(n.Attempt) > 0 {
		return graph.Outcome{Status: graph.Done}
	}
	m.History.GoOn()
	found, o := m.diagnosis.diagnose(ctx, n)
	if o.Status != graph.Done {
		return o
	}
	m.Findings.Advise(found.advice)
	var requests []wanted
	for _, path := range found.read {
		requests = append(requests, m.explorer.readAround(path)...)
	}
	if _, err := m.explorer.look(ctx, n, "read", requests); err != nil {
		return graph.Outcome{Status: graph.Blocked, Reason: err.Error()}
	}
	return graph.Outcome{Status: graph.Done}
}

// enter sets a module on what those have made that come before it. Parts of one tier have begun with the same tree, so that what
// each has made can be put together; what does not go together is for the module that joins them.
func (m *module) enter() {
	b := work.Start{Tree: m.Run.Folder()}
	var made patch.ChangeSet
	for _, before := range m.Job.After {
		both, clashes := patch.Combine(made, before.Now.Made())
		made, b.Clashes = both, append(b.Clashes, clashes...)
		b.Earlier = b.Earlier.With(before)
	}
	switch {
	case len(m.Job.After) == 0 && m.History.Moved != "":
		b.Tree = step.State{Base: m.History.Moved}
	case len(m.Job.After) == 0:
	case m.Job.Joins:
		b.Tree = b.Tree.With(m.Job.After[0].Start.Given).With(made)
		m.Findings.AddSeen(work.ChangedPaths(made)...) // its parts have written them
	default:
		b.Given = m.Job.After[0].Now.Changes
		b.Tree = b.Tree.With(b.Given)
	}
	*m.Start = b
}

// toJudge is the executor's start in which the best draft of a module is judged again when the run is resumed: no model is asked, for settings,
// tools and files may have changed since. stuck are the nodes of the module that are. It is zero where there is no such draft, or where gates had nothing against it.
func (m *module) toJudge(stuck []graph.Node) (step.Place, bool) {
	var attempt int
	switch {
	case m.History.UsedUp:
		attempt = m.Now.Number + 1
	case m.History.Decided && m.History.Missing == "" && len(stuck) > 0: // a question comes first: what is answered is for the attempt that asked
		attempt = stuck[0].Attempt
	default:
		return step.Place{}, false
	}
	d := m.History.BestBefore(attempt)
	if d == nil || gate.Open(d.Checked) && d.Refused != "" {
		return step.Place{}, false
	}
	return step.Place{Node: m.Job.Node(work.NodeExecutor), Attempt: attempt}, true
}

// moduleOf is the module that a node belongs to.
func (r *runner) moduleOf(n graph.Node) *module {
	for _, m := range r.modules {
		if m.Job.Node(n.Kind) == n.ID {
			return m
		}
	}
	return r.whole
}
