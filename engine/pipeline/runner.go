package pipeline

import (
	"cmp"
	"context"

	"forge/engine/event"
	"forge/engine/graph"
	"forge/engine/pipeline/judge"
	"forge/engine/pipeline/review"
	"forge/engine/pipeline/work"
)

// runner takes a run through its graph, and has all its workers.
type runner struct {
	*work.Run
	whole   *module   // all of the task
	modules []*module // of run.parts, in their order, and that of a partial result
	gates   *judge.Gates
	partial *partial // of a plan of which parts are missing; nil otherwise

	share, shareOfTools int // of a module of a plan: its exchanges with models, and its tool calls
	joins               int // modules that join parts, so far

	orchestrator *orchestrator
	specifier    *specifier
	planner      *planner
	reader       *reader
}

func newRunner(env work.Env, task work.Task) *runner {
	r := &runner{Run: work.NewRun(env, task)}
	if r.Task.Mode.Answers() && !Reads(r.Task.Recipe) {
		r.Task.Recipe = Ask // a mode without mutations has no executor
	}
	r.gates = judge.NewGates(r.Run)
	r.whole = newModule(r.gates, &work.Job{Run: r.Run}, cmp.Or(max(r.Steps, 0), work.DefaultSteps), cmp.Or(max(r.ToolCalls, 0), work.DefaultToolCalls))
	m := r.whole
	m.Start.Tree = r.Folder()
	r.orchestrator = &orchestrator{run: r, budget: m.Budget, questions: m.Questions, prompter: m.prompter}
	r.planner = &planner{run: r, job: m.Job, budget: m.Budget, questions: m.Questions, prompter: m.prompter}
	r.specifier = &specifier{run: r.Run, budget: m.Budget, questions: m.Questions, prompter: m.prompter}
	r.reader = &reader{run: r.Run, budget: m.Budget, prompter: m.prompter, known: m.Findings, specifier: r.specifier, reviews: review.New(r.Run, m.Budget, m.prompter, m.reviewer.reportReview)}
	return r
}

// add adds modules to the whole, in the order of the graph.
func (r *runner) add(modules ...*module) {
	for _, m := range modules {
		r.modules, r.Parts = append(r.modules, m), append(r.Parts, m.Module)
	}
}

// graph builds the graph of every run. It cannot fail: the nodes and edges are constants.
func (r *runner) graph() *graph.Graph {
	if Reads(r.Task.Recipe) {
		return r.readingGraph()
	}
	g := &graph.Graph{MaxHops: r.Hops * (1 + len(r.Retries))}
	for _, id := range []string{work.NodeOrchestrator, work.NodeBaseline, work.NodeSpec} {
		must(g.AddNode(id, id))
	}
	must(g.AddEdge(work.NodeOrchestrator, work.NodeSpec, graph.Normal))
	must(g.AddEdge(work.NodeOrchestrator, work.NodeBaseline, graph.Normal))
	if r.Task.Plan.Wanted {
		must(g.AddNode(work.NodePlan, work.NodePlan))
		must(g.AddEdge(work.NodeSpec, work.NodePlan, graph.Normal))
		must(g.AddEdge(work.NodeBaseline, work.NodePlan, graph.Normal))
		return g
	}
	if r.Overlaps() {
		must(g.Grow(r.whole.Job.Shape(work.NodeSpec))) // the module joins the baseline where it needs it
	} else {
		must(g.Grow(r.whole.Job.Shape(work.NodeSpec, work.NodeBaseline)))
	}
	return g
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// permits limits how many nodes run at once.
func (r *runner) permits() graph.Permits {
	return graph.Permits{Nodes: r.Tasks, Of: map[string]int{work.NodeExecutor: r.Writers}}
}

// work runs a node. A node that was interrupted reports that, and not its own result.
func (r *runner) work(ctx context.Context, n graph.Node) graph.Outcome {
	if r.Watch != nil {
		var over func()
		ctx, over = r.Watch(ctx, n, r.moduleOf(n).Job.Timing())
		defer over()
	}
	o := r.node(ctx, n)
	if ctx.Err() != nil && o.Status != graph.Done {
		return graph.Outcome{Status: graph.Blocked, Reason: work.Stopped(ctx)}
	}
	return o
}

func (r *runner) node(ctx context.Context, n graph.Node) graph.Outcome {
	switch n.Kind {
	case review.KindGather:
		return r.reader.reviews.Gather(ctx, n)
	case review.KindLens:
		return r.reader.reviews.Lens(ctx, n)
	case kindOf(Plan):
		return r.planner.onlyPlan(ctx, n)
	case kindOf(Ask), kindOf(Review), kindOf(Final), kindOf(Specify):
		return r.reader.readOnly(ctx, n)
	case work.NodeOrchestrator:
		return r.orchestrator.orchestrate(ctx, n)
	case work.NodeBaseline:
		return r.measureBaseline(ctx, n)
	case work.NodeSpec:
		return r.specifier.specify(ctx, n)
	case work.KindSubagent:
		return r.orchestrator.runSubagent(ctx, n)
	case work.NodePlan:
		return r.planner.planParts(ctx, n)
	case kindCheck:
		return r.planner.check(ctx, n)
	case kindRevise:
		return r.planner.revise(ctx, n)
	case work.NodeExplore:
		return r.moduleOf(n).explore(ctx, n)
	case work.NodeExecutor:
		return r.moduleOf(n).executor.execute(ctx, n)
	default:
		return r.moduleOf(n).reviewer.review(ctx, n)
	}
}

// measureBaseline runs the gates before a change. If the module does not wait for that, it takes the reports from the journal, and asks the user.
func (r *runner) measureBaseline(ctx context.Context, n graph.Node) graph.Outcome {
	if r.Overlaps() {
		return judge.NewGates(r.Run).MeasureBaseline(ctx, n)
	}
	measured := r.gates.MeasureBaseline(ctx, n)
	if measured.Status != graph.Done {
		return measured
	}
	o := r.gates.AskAboutTests(ctx, n, r.whole.Questions)
	if o.Status == graph.Done {
		o.Reason = cmp.Or(measured.Reason, o.Reason)
	}
	return o
}

// drive runs the graph. Where nothing in it can continue, the planner may look at the plan again. If a plan is stuck, the parts that
// hold are joined; the error is still that at which the plan was stuck.
func (r *runner) drive(ctx context.Context, g *graph.Graph) error {
	run := func() error {
		return g.Run(ctx, r.Crew(), r.permits(), r.work, func(n graph.Node) { r.Emit(event.NodeChanged{Node: n}) })
	}
	err := run()
	for ctx.Err() == nil && (err == nil || stuckAt(err) != nil) && r.planner.next(g, stuckAt(err)) {
		err = run()
	}
	if stuck := stuckAt(err); stuck != nil && ctx.Err() == nil && r.gather(g, stuck) {
		_ = run() // the partial result says how it ended
	}
	return err
}

// grow adds to the graph.
func (r *runner) grow(more graph.Growth) graph.Outcome {
	r.Emit(event.GraphGrown(more))
	return graph.Outcome{Status: graph.Done, Grow: more}
}
