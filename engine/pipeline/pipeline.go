// Package pipeline is what a run does: a graph whose nodes ask models and measure what they made.
//
//	               ┌─► spec ─────┐
//	orchestrator ──┤             ├─► explore ─► executor ─► review
//	               └─► baseline ─┘     ▲ ▲ failed │           │ review_fail
//	                                   │ └────────┘           │
//	                                   └──────────────────────┘
//
// The orchestrator decides whether a specification is needed. Explore has what is missing looked at before anything is
// written: round after round a model names what it wants to see, unless all of the folder is in the prompt anyway. The
// executor writes tests, sees them red, and writes the implementation. Review runs the gates, then asks the model for its
// opinion of the diff. What does not hold goes back to explore with the reason, which looks at what went wrong before the
// executor tries again. These three are a module.
//
// The graph grows while it runs. An orchestrator that has to know something first delegates that to a subagent, and decides again.
// With a plan a planner stands in the place of the module above, and adds one for each part, one that joins each tier of several,
// and one that joins the whole.
//
// A module is made of objects that own their state, and that are given those that they work with: module.go names them in order. Those
// that work for all of a run are the run's: orchestrator, specifier, planner, reader and gates. A file is named after the object that
// lives in it; one with more to do has a file for each thing.
//
// Invariants: the model returns values and the graph decides; a model's opinion can fail a green gate
// and never pass a red one; exploring changes nothing, and what it cannot find out stops nothing.
//
// This is code over a flow.Flow, and is played again after a crash: given the same journal it takes the same
// way. So nothing here starts a goroutine, ranges over a map, reads a clock or a file, or keeps state outside
// of a run; whatever does stands behind an activity (engine/step names them, engine/activity does them). The
// scratch tree is a value: a snapshot and the changes written into it.
package pipeline

import (
	"cmp"
	"context"
	"errors"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/mode"
	"forge/patch"
)

// The recipes that the code of a run is about; mode.Recipes lists all.
const (
	Implement = mode.Implement
	Refactor  = mode.Refactor
)

// Result is how a run ended.
type Result struct {
	State   event.State
	Reason  string // for the user; empty for Succeeded
	Changes patch.ChangeSet
	Reports []gate.Report // of the last review; with Unverified those of the attempt that made Changes
	// Unverified is what speaks against Changes, a line each: they are the best of what a run made that did not succeed. It is empty for
	// changes that were accepted, and where there are none.
	Unverified string
	Spec       Spec         // that was worked from; zero where there was none, or none was approved
	Review     *gate.Report // what the reviewer said last; nil where no reviewer was asked. An opinion, and no gate
	Answer     string       // to what was asked: Markdown
	// Retry is what would be tried again.
	Retry Retry
}

// Run takes a task through the graph. It returns when everything it started has ended.
func Run(ctx context.Context, env Env, task Task) Result {
	r := newRunner(env, task)
	g := r.graph()
	r.Tell(event.GraphBuilt{Base: r.Base, Nodes: g.Nodes(), Edges: g.Edges(), Attempts: r.attempts()})
	err := g.Run(ctx, r.Crew, r.permits(), r.work, func(n graph.Node) { r.Tell(event.NodeChanged{Node: n}) })
	result := r.result(ctx, err)
	result.Spec, result.Review, result.Answer = r.specifier.approved, r.whole.reviewer.opinion, r.reader.answer
	return result
}

// graph builds the graph of every run. It cannot fail: the nodes and edges are constants.
func (r *runner) graph() *graph.Graph {
	if Reads(r.task.Recipe) {
		return r.readingGraph()
	}
	g := &graph.Graph{MaxHops: r.Hops * (1 + len(r.Retries))}
	for _, id := range []string{nodeOrchestrator, nodeBaseline, nodeSpec} {
		must(g.AddNode(id, id))
	}
	must(g.AddEdge(nodeOrchestrator, nodeSpec, graph.Normal))
	must(g.AddEdge(nodeOrchestrator, nodeBaseline, graph.Normal))
	if r.task.Plan.Wanted {
		must(g.AddNode(nodePlan, nodePlan))
		must(g.AddEdge(nodeSpec, nodePlan, graph.Normal))
		must(g.AddEdge(nodeBaseline, nodePlan, graph.Normal))
		return g
	}
	must(g.Grow(r.whole.job.shape(nodeSpec, nodeBaseline)))
	return g
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// permits bounds how many nodes work at once.
func (r *runner) permits() graph.Permits {
	return graph.Permits{Nodes: r.Tasks, Of: map[string]int{nodeExecutor: r.Writers}}
}

// work does what a node is for. A node that was stopped in the middle says that, and not what it made of it.
func (r *runner) work(ctx context.Context, n graph.Node) graph.Outcome {
	o := r.node(ctx, n)
	if ctx.Err() != nil && o.Status != graph.Done {
		return graph.Outcome{Status: graph.Blocked, Reason: stopped(ctx)}
	}
	return o
}

func (r *runner) node(ctx context.Context, n graph.Node) graph.Outcome {
	switch n.Kind {
	case kindOf(Ask), kindOf(Review), kindOf(Specify):
		return r.reader.readOnly(ctx, n)
	case nodeOrchestrator:
		return r.orchestrator.orchestrate(ctx, n)
	case nodeBaseline:
		return r.gates.measureBaseline(ctx, n, r.whole.questions)
	case nodeSpec:
		return r.specifier.specify(ctx, n)
	case kindSubagent:
		return r.orchestrator.runErrand(ctx, n)
	case nodePlan:
		return r.planner.planParts(ctx, n)
	case nodeExplore:
		return r.moduleOf(n).explore(ctx, n)
	case nodeExecutor:
		return r.moduleOf(n).executor.execute(ctx, n)
	default:
		return r.moduleOf(n).reviewer.review(ctx, n)
	}
}

// result is what the end of the graph means for the user. A run that was not accepted gives the best of what it made.
func (r *runner) result(ctx context.Context, err error) Result {
	stuck := stuckAt(err)
	switch {
	case ctx.Err() != nil:
		return r.offerBest(Result{State: event.Cancelled, Reason: "cancelled"})
	case r.whole.questions.declined != "":
		return Result{State: event.Cancelled, Reason: r.whole.questions.declined}
	case r.finished != "":
		return Result{State: event.Succeeded, Reason: r.finished}
	case stuck != nil:
		return r.offerBest(Result{State: stuckState(stuck), Reason: stuckReason(stuck), Reports: r.reportsOf(stuck), Retry: r.retry(stuck)})
	case err != nil:
		return r.offerBest(Result{State: event.Failed, Reason: err.Error(), Reports: r.whole.reviewer.reports})
	}
	return Result{State: event.Succeeded, Changes: r.whole.now.changes, Reports: r.whole.reviewer.reports}
}

// stuckAt is the error of a graph that cannot go on; nil where it is another one.
func stuckAt(err error) *graph.StuckError {
	var stuck *graph.StuckError
	if errors.As(err, &stuck) {
		return stuck
	}
	return nil
}

func stuckState(stuck *graph.StuckError) event.State {
	for _, n := range stuck.Nodes {
		if n.Status == graph.Failed {
			return event.Failed
		}
	}
	return event.Blocked
}

// stuckReason prefers the reason of what failed for good.
func stuckReason(stuck *graph.StuckError) string {
	reason := ""
	for _, n := range stuck.Nodes {
		if n.Status == graph.Failed || reason == "" {
			reason = n.ID + ": " + n.Reason
		}
	}
	return reason
}

// grow adds to the graph.
func (r *runner) grow(more graph.Growth) graph.Outcome {
	r.Tell(event.GraphGrown(more))
	return graph.Outcome{Status: graph.Done, Grow: more}
}

// reportsOf are those of the module where a run is stuck, else of the whole.
func (r *runner) reportsOf(stuck *graph.StuckError) []gate.Report {
	for _, n := range stuck.Nodes {
		if m := r.moduleOf(n); len(m.reviewer.reports) > 0 {
			return m.reviewer.reports
		}
	}
	return r.whole.reviewer.reports
}

// runner takes a run through its graph: it has all that works on it.
type runner struct {
	*run
	whole   *module   // all of the task
	modules []*module // of run.parts, in their order
	gates   *gates

	orchestrator *orchestrator
	specifier    *specifier
	planner      *planner
	reader       *reader
}

func newRunner(env Env, task Task) *runner {
	r := &runner{run: newRun(env, task)}
	if r.task.Mode.Answers() && !Reads(r.task.Recipe) {
		r.task.Recipe = Ask // a mode without mutations has no executor
	}
	r.gates = &gates{run: r.run}
	r.whole = newModule(r.gates, &job{run: r.run}, cmp.Or(max(r.Steps, 0), DefaultSteps), cmp.Or(max(r.ToolCalls, 0), DefaultToolCalls))
	m := r.whole
	m.begin.start = r.base()
	r.orchestrator = &orchestrator{run: r, budget: m.budget, questions: m.questions, prompter: m.prompter}
	r.planner = &planner{run: r, job: m.job, budget: m.budget, questions: m.questions, prompter: m.prompter}
	r.specifier = &specifier{run: r.run, budget: m.budget, questions: m.questions, prompter: m.prompter}
	r.reader = &reader{run: r.run, budget: m.budget, prompter: m.prompter, known: m.known, reviewer: m.reviewer, specifier: r.specifier}
	return r
}

// add adds modules to the whole, in the order of the graph.
func (r *runner) add(modules ...*module) {
	for _, m := range modules {
		r.modules, r.parts = append(r.modules, m), append(r.parts, m.unit)
	}
}
