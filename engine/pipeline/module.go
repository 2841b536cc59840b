package pipeline

import (
	"context"
	"slices"

	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/step"
	"forge/patch"
)

// module is work that ends in one change: all of a task, or a part of it that a plan names. It has an explorer, an executor and a
// review of its own, and attempts of its own. What belongs to all modules of a run is the run's.
//
// Each of its objects owns its state and knows those that it works with. An object may use those above it, and none below.
//
// The state that a node of a module writes is read only by nodes that wait for it, so that the graph's order is the only lock.
type module struct {
	run *run
	job *job
	// The state of the work.
	budget    *budget
	questions *questions
	begin     *beginning
	now       *attempt
	tested    *tested
	known     *known
	history   *history
	// Judges of it.
	checker  *checker
	promises *promises
	reds     *reds
	// Those who do it, and ask models for it.
	prompter  *prompter
	explorer  *explorer
	diagnosis *diagnosis
	joiner    *joiner
	reviewer  *reviewer
	executor  *executor
}

// newModule is a module that has done nothing yet. It may have as many exchanges with models and calls of tools as most and tools say.
func newModule(j *job, most, tools int) *module {
	r := j.run
	m := &module{run: r, job: j, begin: &beginning{}, known: &known{}}
	m.budget = &budget{run: r, job: j, most: most, tools: tools}
	m.questions = &questions{run: r, job: j}
	m.now = &attempt{run: r, job: j, begin: m.begin}
	m.tested = &tested{run: r, begin: m.begin, now: m.now}
	m.history = &history{run: r, job: j, now: m.now, tested: m.tested}

	m.checker = &checker{run: r, gates: r.gates, begin: m.begin, now: m.now, tested: m.tested}
	m.promises = &promises{run: r, gates: r.gates, job: j, begin: m.begin, questions: m.questions, now: m.now, tested: m.tested, known: m.known, checker: m.checker}
	m.reds = &reds{run: r, gates: r.gates, job: j, begin: m.begin, now: m.now, tested: m.tested, checker: m.checker}

	m.prompter = &prompter{run: r, job: j, begin: m.begin, tested: m.tested, known: m.known, promises: m.promises}
	m.explorer = &explorer{run: r, job: j, begin: m.begin, budget: m.budget, known: m.known, history: m.history, prompter: m.prompter}
	m.diagnosis = &diagnosis{run: r, job: j, budget: m.budget, questions: m.questions, now: m.now, tested: m.tested, known: m.known, history: m.history, prompter: m.prompter}
	m.joiner = &joiner{run: r, job: j, begin: m.begin, now: m.now, history: m.history, checker: m.checker, reds: m.reds}
	m.reviewer = &reviewer{run: r, gates: r.gates, job: j, budget: m.budget, now: m.now, tested: m.tested, history: m.history,
		checker: m.checker, promises: m.promises, prompter: m.prompter, diagnosis: m.diagnosis, joiner: m.joiner}
	m.executor = &executor{run: r, gates: r.gates, job: j, begin: m.begin, budget: m.budget, questions: m.questions, now: m.now, tested: m.tested, known: m.known,
		history: m.history, promises: m.promises, reds: m.reds, prompter: m.prompter, diagnosis: m.diagnosis, joiner: m.joiner}
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
// tools and files may have changed since. It is zero where there is no such draft, or where gates had nothing against it.
func (m *module) toJudge(stuck []graph.Node) (step.Place, bool) {
	var attempt int
	switch at := slices.IndexFunc(stuck, func(n graph.Node) bool { return m.run.moduleOf(n) == m }); {
	case m.history.usedUp:
		attempt = m.now.number + 1
	case m.history.decided && m.history.wanting == "" && at >= 0: // a question comes first: what is answered is for the attempt that asked
		attempt = stuck[at].Attempt
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
func (r *run) moduleOf(n graph.Node) *module {
	for _, m := range r.parts {
		if m.job.node(n.Kind) == n.ID {
			return m
		}
	}
	return r.whole
}
