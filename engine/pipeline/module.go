package pipeline

import (
	"context"

	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/step"
	"forge/patch"
)

// module is work that ends in one change: all of a task, or a part of it that a plan names. It has an explorer, an executor and a
// review of its own, and attempts of its own. What belongs to all modules of a run is the run's.
//
// The state that a node of a module writes is read only by nodes that wait for it, so that the graph's order is the only lock.
type module struct {
	*unit
	explorer  *explorer
	diagnosis *diagnosis
	reviewer  *reviewer
	executor  *executor
	prompter  *prompter
}

// newModule is a module that has done nothing yet. It may have as many exchanges with models and calls of tools as most and tools say.
// Its objects are made in order: one is given those made before it, so that there is no circle among them.
func newModule(gates *gates, j *job, most, tools int) *module {
	u := newUnit(j, most, tools)
	checker := newChecker(u, gates)
	promises := newPromises(u, checker)
	joiner := newJoiner(u, checker)
	m := &module{unit: u, prompter: newPrompter(u, promises)}
	m.explorer = &explorer{unit: u, prompter: m.prompter}
	m.diagnosis = &diagnosis{unit: u, prompter: m.prompter}
	m.reviewer = &reviewer{unit: u, checker: checker, promises: promises, joiner: joiner, prompter: m.prompter, diagnosis: m.diagnosis}
	m.executor = &executor{unit: u, gates: gates, promises: promises, reds: newReds(u, checker), joiner: joiner, prompter: m.prompter, diagnosis: m.diagnosis}
	return m
}

// explore finds out what must be read before an attempt: before the first one by asking a model, before others from what went
// wrong. The attempt is made also where something could not be found out.
func (m *module) explore(ctx context.Context, n graph.Node) graph.Outcome {
	m.known.advise(nil)
	m.enter()
	switch {
	case n.Attempt > 1:
		return m.prepare(ctx, n)
	case m.job.joins:
		return graph.Outcome{Status: graph.Done}
	}
	shown, err := m.prompter.shown(ctx, n, "context", m.begin.start)
	if err != nil {
		return failed("look at the folder", err)
	}
	if shown.Whole || shown.Found { // who writes may ask for more, and pays for that alone
		return graph.Outcome{Status: graph.Done}
	}
	sections, err := m.prompter.sectionsOf(ctx, n, m.begin.start, shown)
	if err != nil {
		return failed("look at the folder", err)
	}
	return m.explorer.rounds(ctx, n, sections)
}

// prepare gets ready for another attempt: what went wrong says what must be read, and what is to be done differently.
func (m *module) prepare(ctx context.Context, n graph.Node) graph.Outcome {
	if m.history.judgedBy(n.Attempt) > 0 {
		return graph.Outcome{Status: graph.Done}
	}
	m.history.goOn()
	found, o := m.diagnosis.diagnose(ctx, n)
	if o.Status != graph.Done {
		return o
	}
	m.known.advise(found.advice)
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
	b := beginning{start: m.run.base()}
	var made patch.ChangeSet
	for _, before := range m.job.after {
		both, clashes := patch.Combine(made, before.now.made())
		made, b.clashes = both, append(b.clashes, clashes...)
		b.earlier = b.earlier.with(before)
	}
	switch {
	case len(m.job.after) == 0 && m.history.moved != "":
		b.start = step.State{Base: m.history.moved}
	case len(m.job.after) == 0:
	case m.job.joins:
		b.start = b.start.With(m.job.after[0].begin.given).With(made)
		m.known.show(changedPaths(made)...) // its parts have written them
	default:
		b.given = m.job.after[0].now.changes
		b.start = b.start.With(b.given)
	}
	*m.begin = b
}

// toJudge is the executor's start in which the best draft of a module is judged again when the run is resumed: no model is asked, for settings,
// tools and files may have changed since. stuck are the nodes of the module that are. It is zero where there is no such draft, or where gates had nothing against it.
func (m *module) toJudge(stuck []graph.Node) (step.Place, bool) {
	var attempt int
	switch {
	case m.history.usedUp:
		attempt = m.now.number + 1
	case m.history.decided && m.history.wanting == "" && len(stuck) > 0: // a question comes first: what is answered is for the attempt that asked
		attempt = stuck[0].Attempt
	default:
		return step.Place{}, false
	}
	d := m.history.bestBefore(attempt)
	if d == nil || gate.Open(d.checked) && d.refused != "" {
		return step.Place{}, false
	}
	return step.Place{Node: m.job.node(nodeExecutor), Attempt: attempt}, true
}

// moduleOf is the module that a node belongs to.
func (r *runner) moduleOf(n graph.Node) *module {
	for _, m := range r.modules {
		if m.job.node(n.Kind) == n.ID {
			return m
		}
	}
	return r.whole
}
