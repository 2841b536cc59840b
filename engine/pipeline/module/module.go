// Package module has the modules of a run: one makes one change, all of a task or a part of a plan. A Planner adds, replaces and joins those of a
// plan.
//
//	explore ─► executor ─► review
//	  ▲ ▲ failed │           │ review_fail
//	  │ └────────┘           │
//	  └──────────────────────┘
//
// Explore gathers what is missing before anything is written: in each round a model names what it wants to see, unless the whole
// folder is in the prompt. The executor writes tests, sees them fail, and writes the implementation. Review runs the gates, then asks
// the model for its opinion of the diff. A failure goes back to explore, which diagnoses it before the executor tries again.
//
// Invariants: a model's opinion can fail a passing gate and never pass a failing one; exploring changes nothing, and its failures
// stop nothing.
package module

import (
	"context"

	"forge/engine/agent"
	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/pipeline/dialogue"
	"forge/engine/pipeline/judge"
	"forge/engine/pipeline/work"
	"forge/engine/step"
)

// Module is work that ends in one change: all of a task, or a part of a plan. It has its own explorer, executor and review, and
// its own attempts. Shared state belongs to the run.
//
// Only nodes that wait for a node of a module read the state that it writes, so that the graph's order is the only lock.
type Module struct {
	*work.Module
	explorer  *explorer
	diagnosis *diagnosis
	reviewer  *reviewer
	executor  *executor
	Prompter  *dialogue.Prompter
}

// New returns a module that has done nothing yet. most and tools limit its exchanges with models and its tool calls. Its
// objects are created in order, and each gets the earlier ones, so that there is no cycle.
func New(gates *judge.Gates, j *work.Job, most, tools int) *Module {
	u := work.NewModule(j, most, tools)
	checker := judge.NewChecker(u, gates)
	promises := judge.NewPromises(u, checker)
	joiner := judge.NewJoiner(u, checker)
	m := &Module{Module: u, Prompter: dialogue.NewPrompter(u, promises)}
	m.explorer = &explorer{Module: u, prompter: m.Prompter}
	m.diagnosis = &diagnosis{Module: u, prompter: m.Prompter}
	m.reviewer = &reviewer{Module: u, gates: gates, checker: checker, promises: promises, joiner: joiner, prompter: m.Prompter, diagnosis: m.diagnosis}
	m.executor = &executor{Module: u, gates: gates, promises: promises, reds: judge.NewReds(u, checker), joiner: joiner, prompter: m.Prompter, diagnosis: m.diagnosis}
	return m
}

// Explore gathers what an attempt needs to read: before the first one by asking a model, before others from the failure. The
// attempt is made even if something was not found.
func (m *Module) Explore(ctx context.Context, n graph.Node) graph.Outcome {
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
	shown, err := m.Prompter.Files(ctx, n, "context", m.Start.Tree)
	if err != nil {
		return work.Failed("look at the folder", err)
	}
	if shown.Whole || shown.Found { // the writer may ask for more, at its own cost
		return graph.Outcome{Status: graph.Done}
	}
	sections, err := m.Prompter.Sections(ctx, n, m.Start.Tree, shown)
	if err != nil {
		return work.Failed("look at the folder", err)
	}
	return m.explorer.rounds(ctx, n, sections)
}

// prepare prepares another attempt: the failure determines what must be read, and what to do differently.
func (m *Module) prepare(ctx context.Context, n graph.Node) graph.Outcome {
	if m.History.JudgedBy(n.Attempt) > 0 {
		return graph.Outcome{Status: graph.Done}
	}
	m.History.GoOn()
	found, o := m.diagnosis.diagnose(ctx, n)
	if o.Status != graph.Done {
		return o
	}
	m.Findings.Advise(found.advice)
	m.Findings.Diagnose(found.causes)
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
func (m *Module) enter(n graph.Node) {
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
		m.Findings.AddShown(work.ChangedPaths(made)...) // written by its parts
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

// ToJudge returns the executor's start in which a module's best draft is judged again when the run is resumed: no model is called,
// because settings, tools and files may have changed. stuck are the module's stuck nodes. It is zero without such a draft, or if
// gates had no objection to it.
func (m *Module) ToJudge(stuck []graph.Node) (step.Place, bool) {
	var attempt int
	switch {
	case m.History.UsedUp:
		attempt = m.Now.Number + 1
	case m.History.Decided && m.History.Missing == "" && len(stuck) > 0: // a question comes first: its answer is for the attempt that asked
		if attempt = stuck[0].Attempt; stuck[0].Kind == work.NodeReview { // this one was judged: its steps are in the journal
			attempt = m.Now.Number + 1
		}
	default:
		return step.Place{}, false
	}
	d := m.History.BestBefore(attempt)
	if d == nil || gate.Open(d.Checked) && d.Refused != "" {
		return step.Place{}, false
	}
	return step.Place{Node: m.Job.Node(work.NodeExecutor), Attempt: attempt}, true
}

// Execute makes an attempt.
func (m *Module) Execute(ctx context.Context, n graph.Node) graph.Outcome {
	return m.executor.execute(ctx, n)
}

// Review decides on the change of an attempt.
func (m *Module) Review(ctx context.Context, n graph.Node) graph.Outcome {
	return m.reviewer.review(ctx, n)
}

// Reports returns the reports of the gates that decide, of the last review.
func (m *Module) Reports() []gate.Report { return m.reviewer.reports }

// Opinion returns a model's last opinion; nil if none was asked.
func (m *Module) Opinion() *gate.Report { return m.reviewer.opinion }

// KeepOpinion reports and keeps the result of a review.
func (m *Module) KeepOpinion(n graph.Node, report gate.Report) { m.reviewer.reportReview(n, report) }

// Lost returns the places of roles that could not be called, so that a resumed run calls them again.
func (m *Module) Lost() []step.Place { return m.diagnosis.lost }

// Instructions returns what the models of modules and of the planner are to do, by the names of their agents, but for the list of tools.
func Instructions() map[string]string {
	return map[string]string{
		"reviewer": reviewInstructions, "overseer": overseerInstructions, agent.Explorer: exploreInstructions, agent.Debugger: debuggerInstructions,
		"planner": planInstructions,
	}
}
