package pipeline

import (
	"cmp"
	"context"

	"forge/engine/event"
	"forge/engine/graph"
	"forge/engine/pipeline/judge"
	"forge/engine/pipeline/module"
	"forge/engine/pipeline/work"
)

// runner takes a run through its graph, and has all its workers.
type runner struct {
	*work.Run
	whole *module.Module // all of the task
	gates *judge.Gates

	orchestrator *orchestrator
	specifier    *specifier
	planner      *module.Planner
	reader       *reader
}

func newRunner(env work.Env, task work.Task) *runner {
	r := &runner{Run: work.NewRun(env, task)}
	if r.Task.Mode.Answers() && !Reads(r.Task.Recipe) {
		r.Task.Recipe = Ask // a mode without mutations has no executor
	}
	r.gates = judge.NewGates(r.Run)
	r.whole = module.New(r.gates, &work.Job{Run: r.Run}, cmp.Or(max(r.Steps, 0), work.DefaultSteps), cmp.Or(max(r.ToolCalls, 0), work.DefaultToolCalls))
	m := r.whole
	m.Start.Tree = r.Folder()
	r.orchestrator = &orchestrator{run: r.Run, gates: r.gates, budget: m.Budget, questions: m.Questions, prompter: m.Prompter}
	r.planner = module.NewPlanner(r.Run, r.gates, m)
	r.specifier = &specifier{run: r.Run, budget: m.Budget, questions: m.Questions, prompter: m.Prompter}
	r.reader = &reader{run: r.Run, budget: m.Budget, prompter: m.Prompter, known: m.Findings, specifier: r.specifier, reviews: newReviews(r.Run, m.Budget, m.Prompter, m.KeepOpinion)}
	return r
}

// graph builds the graph of every run. It cannot fail: the nodes and edges are constants.
func (r *runner) graph() *graph.Graph {
	if Reads(r.Task.Recipe) {
		return r.readingGraph()
	}
	g := &graph.Graph{MaxHops: r.Hops * (1 + len(r.Retries))}
	g.MustGrow(growth([]string{work.NodeOrchestrator, work.NodeBaseline, work.NodeSpec},
		[2]string{work.NodeOrchestrator, work.NodeSpec}, [2]string{work.NodeOrchestrator, work.NodeBaseline}))
	switch {
	case r.Task.Plan.Wanted:
		g.MustGrow(growth([]string{work.NodePlan}, [2]string{work.NodeSpec, work.NodePlan}, [2]string{work.NodeBaseline, work.NodePlan}))
	case r.Overlaps():
		g.MustGrow(r.whole.Job.Shape(work.NodeSpec)) // the module joins the baseline where it needs it
	default:
		g.MustGrow(r.whole.Job.Shape(work.NodeSpec, work.NodeBaseline))
	}
	return g
}

// growth returns nodes of which each is the only one of its kind, and normal edges between them.
func growth(nodes []string, edges ...[2]string) (g graph.Growth) {
	for _, id := range nodes {
		g.Nodes = append(g.Nodes, graph.Node{ID: id, Kind: id})
	}
	for _, e := range edges {
		g.Edges = append(g.Edges, graph.Edge{From: e[0], To: e[1], Type: graph.Normal})
	}
	return g
}

// permits limits how many nodes run at once.
func (r *runner) permits() graph.Permits {
	return graph.Permits{Nodes: r.Tasks, Of: map[string]int{work.NodeExecutor: r.Writers}}
}

// work runs a node. A node that was interrupted reports that, and not its own result.
func (r *runner) work(ctx context.Context, n graph.Node) graph.Outcome {
	if r.Watch != nil {
		var over func()
		ctx, over = r.Watch(ctx, n, r.planner.ModuleOf(n).Job.Timing())
		defer over()
	}
	o := r.operation(n)(ctx, n)
	if ctx.Err() != nil && o.Status != graph.Done {
		return graph.Outcome{Status: graph.Blocked, Reason: work.Stopped(ctx)}
	}
	return o
}

// operation returns the function that runs a node of this kind.
func (r *runner) operation(n graph.Node) func(context.Context, graph.Node) graph.Outcome {
	switch n.Kind {
	case kindGather:
		return r.reader.reviews.Gather
	case kindLens:
		return r.reader.reviews.Lens
	case kindOf(Plan):
		return r.planner.OnlyPlan
	case kindOf(Ask), kindOf(Review), kindOf(Final), kindOf(Specify):
		return r.reader.readOnly
	case work.NodeOrchestrator:
		return r.orchestrator.orchestrate
	case work.NodeBaseline:
		return r.measureBaseline
	case work.NodeSpec:
		return r.specifier.specify
	case work.KindSubagent:
		return r.orchestrator.runSubagent
	case work.NodePlan:
		return r.planner.PlanParts
	case module.KindCheck:
		return r.planner.Check
	case module.KindCut:
		return r.planner.Cut
	case module.KindRevise:
		return r.planner.Revise
	case work.NodeExplore:
		return r.planner.ModuleOf(n).Explore
	case work.NodeExecutor:
		return r.planner.ModuleOf(n).Execute
	default:
		return r.planner.ModuleOf(n).Review
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

// drive runs the graph. If nothing in it can continue, the planner may add nodes. If the plan is stuck, the parts that hold are joined; the
// error is still that of the stuck plan.
func (r *runner) drive(ctx context.Context, g *graph.Graph) error {
	run := func() error {
		return g.Run(ctx, r.Pool(), r.permits(), r.work, func(n graph.Node) { r.Emit(event.NodeChanged{Node: n}) })
	}
	err := run()
	for ctx.Err() == nil && (err == nil || stuckAt(err) != nil) && r.planner.Next(g, stuckAt(err)) {
		err = run()
	}
	if stuck := stuckAt(err); stuck != nil && ctx.Err() == nil && r.planner.Gather(g, stuck) {
		_ = run() // the partial result states how it ended
	}
	return err
}
