package pipeline

import (
	"context"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/pipeline/dialogue"
	"forge/engine/pipeline/judge"
	"forge/engine/pipeline/work"
	"forge/engine/step"
)

// module is work that ends in one change: all of a task, or a part of a plan. It has its own explorer, executor and review, and
// its own attempts. Shared state belongs to the run.
//
// Only nodes that wait for a node of a module read the state that it writes, so that the graph's order is the only lock.
type module struct {
	*work.Module
	explorer  *explorer
	diagnosis *diagnosis
	reviewer  *reviewer
	executor  *executor
	prompter  *dialogue.Prompter
}

// newModule returns a module that has done nothing yet. most and tools limit its exchanges with models and its tool calls. Its
// objects are created in order, and each gets the earlier ones, so that there is no cycle.
func newModule(gates *judge.Gates, j *work.Job, most, tools int) *module {
	u := work.NewModule(j, most, tools)
	checker := judge.NewChecker(u, gates)
	promises := judge.NewPromises(u, checker)
	joiner := judge.NewJoiner(u, checker)
	m := &module{Module: u, prompter: dialogue.NewPrompter(u, promises)}
	m.explorer = &explorer{Module: u, prompter: m.prompter}
	m.diagnosis = &diagnosis{Module: u, prompter: m.prompter}
	m.reviewer = &reviewer{Module: u, gates: gates, checker: checker, promises: promises, joiner: joiner, prompter: m.prompter, diagnosis: m.diagnosis}
	m.executor = &executor{Module: u, gates: gates, promises: promises, reds: judge.NewReds(u, checker), joiner: joiner, prompter: m.prompter, diagnosis: m.diagnosis}
	return m
}

// explore gathers what an attempt needs to read: before the first one by asking a model, before others from the failure. The
// attempt is made even if something was not found.
func (m *module) explore(ctx context.Context, n graph.Node) graph.Outcome {
	m.Findings.Advise(nil)
	received := m.Job.Receive()
	m.enter(n)
	switch {
	case len(received) > 0:
		m.Findings.Advise(received)
		return graph.Outcome{Status: graph.Done}
	case n.Attempt > 1:
		return m.prepare(ctx, n)
	case m.Job.Joins:
		return graph.Outcome{Status: graph.Done}
	}
	shown, err := m.prompter.Files(ctx, n, "context", m.Start.Tree)
	if err != nil {
		return work.Failed("look at the folder", err)
	}
	if shown.Whole || shown.Found { // the writer may ask for more, at its own cost
		return graph.Outcome{Status: graph.Done}
	}
	sections, err := m.prompter.Sections(ctx, n, m.Start.Tree, shown)
	if err != nil {
		return work.Failed("look at the folder", err)
	}
	return m.explorer.rounds(ctx, n, sections)
}

// prepare prepares another attempt: the failure determines what must be read, and what to do differently.
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

// enter starts a module from the results of its predecessors. A part begins with one of them, which is a join if it depends on
// several; the joining module resolves conflicts.
func (m *module) enter(n graph.Node) {
	b := work.Start{Tree: m.Run.Folder()}
	for _, before := range m.Job.After {
		b.Earlier = b.Earlier.With(before)
	}
	switch {
	case len(m.Job.After) == 0 && m.History.Moved != "":
		b.Tree = step.State{Base: m.History.Moved}
	case len(m.Job.After) == 0:
	case m.Job.Joins:
		made, clashes := m.Job.Combined()
		b.Tree, b.Clashes = b.Tree.With(made), clashes
		m.Findings.AddSeen(work.ChangedPaths(made)...) // written by its parts
	case len(m.Job.After) == 1:
		b.Given = m.Job.After[0].Now.Changes
		b.Tree = b.Tree.With(b.Given)
	default: // it waited for a part whose file it needs
		b.Given, b.Clashes = m.Job.Combined()
		b.Tree = b.Tree.With(b.Given)
	}
	*m.Start = b
	if m.Job.Joins && n.Attempt == 1 {
		if files := m.Job.Merged(); len(files) > 0 {
			m.Run.Emit(event.FilesMerged{Node: n.ID, Files: files})
		}
	}
}

// toJudge returns the executor's start in which a module's best draft is judged again when the run is resumed: no model is called,
// because settings, tools and files may have changed. stuck are the module's stuck nodes. It is zero without such a draft, or if
// gates had no objection to it.
func (m *module) toJudge(stuck []graph.Node) (step.Place, bool) {
	var attempt int
	switch {
	case m.History.UsedUp:
		attempt = m.Now.Number + 1
	case m.History.Decided && m.History.Missing == "" && len(stuck) > 0: // a question comes first: its answer is for the attempt that asked
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

// moduleOf returns the module of a node.
func (r *runner) moduleOf(n graph.Node) *module {
	for _, m := range r.modules {
		if m.Job.Node(n.Kind) == n.ID {
			return m
		}
	}
	return r.whole
}
