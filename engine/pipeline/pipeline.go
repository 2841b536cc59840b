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
	"slices"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/integrity"
	"forge/engine/mode"
	"forge/engine/step"
	"forge/engine/tool"
	"forge/patch"
)

// Project is what Forge knows of what is in a tree. Its functions are pure.
type Project struct {
	Gates []string // names, cheapest first
	// Later are those of Gates that are asked about the folder without a change only where they do not pass with one.
	Later []string
	// Weights are what the verdicts of gates decide, by their names; a gate without an entry is required.
	Weights   map[string]gate.Weight
	Suites    integrity.Suites // the tests: one for each project in the tree that has some
	TestFiles int              // files of tests in the tree
	Waived    []string         // gates that the user has waived: they are not run, and are reported so
	Known     []string         // the languages whose projects Forge finds, for the user: "go (go.mod)"
	// Joining are gates that are run besides where parts of a plan are joined.
	Joining []string
}

// IsTest reports whether a path belongs to any tests.
func (p Project) IsTest(path string) bool { return p.Suites.IsTest(path) }

// Recipe is the kind of work.
type Recipe = mode.Recipe

// The recipes that the code of a run is about; mode.Recipes lists all.
const (
	Implement = mode.Implement
	Refactor  = mode.Refactor
)

// Task is what the user asked for.
type Task struct {
	Text   string
	Recipe Recipe
	Focus  Focus
	// Class is what kind of work the task is, by rules; the zero Class is that it was not looked at.
	Class mode.Class
	// ApproveSpec asks the user before anything is generated from a specification.
	ApproveSpec bool
	// NoReview leaves the reviewer out, because the user's settings say so.
	NoReview bool
	// Mode bounds what the run may spend and do; the zero Mode is the default one.
	Mode mode.Mode
	// Profile is how the user wants the change to be asked for; empty leaves it to mode and recipe.
	Profile mode.Profile
	// Plan has the task cut into parts.
	Plan Planning
	// NoTests says that what is asked for needs no tests of its own, such as a change of settings.
	NoTests bool
	// Direct are tools that do the work, where it was decided already: then no model is asked for an implementation.
	Direct []Action
	// AllowShell lets models use the commands that the user's settings name without a question, whatever the mode says.
	AllowShell bool
	// KeepFormat leaves files as models wrote them: no formatter touches them.
	KeepFormat bool
}

// Focus is what the user pointed at; the zero Focus is the whole tree.
type Focus struct {
	Path               string
	StartLine, EndLine int // from 1, inclusive; 0 is the whole file
	Diagnostics        []string
}

// Env is what a run works with.
type Env struct {
	step.Env
	Crew    graph.Crew // works on nodes side by side; nil is goroutines
	Base    string     // id of the snapshot the run is about
	Brief   step.Brief // for every model of the run
	Project Project
	// Attempts is how often the executor may try; 0 means DefaultAttempts.
	Attempts int
	// Steps is how many exchanges with models the run may have, repairs not counted; 0 means DefaultSteps.
	Steps int
	// ToolCalls is how many tools the run may use in turns; 0 means DefaultToolCalls.
	ToolCalls int
	// AtFirst has gates that come after one that a change does not pass left out.
	AtFirst bool
	// Whole has all of a suite look at a change before it is proposed, where what concerns the change has passed.
	Whole bool
	// Grants are what the user lets tools do beyond the tree.
	Grants tool.Grants
	// Rounds is how often it is asked what else must be read before anything is written; 0 means DefaultRounds, below none.
	Rounds int
	// Retries are what the user had tried again after the run had failed, in order.
	Retries []Retry
	// Again are snapshots of the user's files as they were when each of the retries began, in their order; an empty one is none.
	Again []string
	// Hops is how often the graph may go back along a lane, such as from the review to the executor; 0 means graph.DefaultMaxHops.
	Hops int
	// Tasks is how many nodes work at once, and Writers how many of them may write changes; 0 means DefaultTasks and DefaultWriters.
	Tasks, Writers int
}

// DefaultAttempts is how often the executor may try before the run gives up.
const DefaultAttempts = 3

// How many nodes of a run work at once, and how many of them may write changes.
const (
	DefaultTasks   = 4
	DefaultWriters = 2
)

// Result is how a run ended.
type Result struct {
	State   event.State
	Reason  string // for the user; empty for Succeeded
	Changes patch.ChangeSet
	Base    string // id of the snapshot that Changes are of
	// Partly are the suites of which only a part has looked at Changes, because the folder is large; none for changes that were not accepted.
	Partly  []string
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

// Spec is the specification of a change.
type Spec struct {
	Title string
	Text  string // Markdown
}

// Run takes a task through the graph. It returns when everything it started has ended.
func Run(ctx context.Context, env Env, task Task) Result {
	r := newRun(env, task)
	g := r.graph()
	r.Tell(event.GraphBuilt{Base: r.Base, Nodes: g.Nodes(), Edges: g.Edges(), Attempts: r.attempts()})
	err := g.Run(ctx, r.Crew, r.permits(), r.work, func(n graph.Node) { r.Tell(event.NodeChanged{Node: n}) })
	result := r.result(ctx, err)
	result.Spec, result.Review, result.Answer = r.specifier.approved, r.whole.reviewer.opinion, r.reader.answer
	return result
}

// run is the state of one run, as all of its modules have it. A node's results are written by that node alone and read by nodes that
// wait for it, so that the graph's order is the only lock they need.
type run struct {
	Env
	task     Task
	whole    *module // all of the task
	gates    *gates
	parts    []*module     // in the order of the graph: the parts of the task, and what joins the parts of a tier
	finished string        // why there is nothing more to do; empty while there is
	listing  *step.Listing // the files of the snapshot; nil until they were listed (overview)

	orchestrator *orchestrator
	specifier    *specifier
	planner      *planner
	reader       *reader
}

func newRun(env Env, task Task) *run {
	if env.Attempts == 0 {
		env.Attempts = DefaultAttempts
	}
	if env.Rounds == 0 {
		env.Rounds = DefaultRounds
	}
	if env.Crew == nil {
		env.Crew = graph.Goroutines()
	}
	env.Hops = cmp.Or(env.Hops, graph.DefaultMaxHops)
	env.Tasks, env.Writers = cmp.Or(env.Tasks, DefaultTasks), cmp.Or(env.Writers, DefaultWriters)
	if task.Mode.Name == "" {
		task.Mode, _ = mode.Lookup("") // the default is in the table
	}
	if task.Mode.Answers() && !Reads(task.Recipe) {
		task.Recipe = Ask // a mode without mutations has no executor
	}
	r := &run{Env: env, task: task}
	r.gates = &gates{run: r}
	r.whole = newModule(&job{run: r}, cmp.Or(max(r.Steps, 0), DefaultSteps), cmp.Or(max(r.ToolCalls, 0), DefaultToolCalls))
	m := r.whole
	m.begin.start = r.base()
	r.orchestrator = &orchestrator{run: r, budget: m.budget, questions: m.questions, prompter: m.prompter}
	r.planner = &planner{run: r, job: m.job, budget: m.budget, questions: m.questions, prompter: m.prompter}
	r.specifier = &specifier{run: r, budget: m.budget, questions: m.questions, prompter: m.prompter}
	r.reader = &reader{run: r, budget: m.budget, prompter: m.prompter, known: m.known, reviewer: m.reviewer, specifier: r.specifier}
	return r
}

// finish ends the run with success, and without a change.
func (r *run) finish(reason string) { r.finished = reason }

// add adds modules to the whole, in the order of the graph.
func (r *run) add(parts ...*module) { r.parts = append(r.parts, parts...) }

// base is the tree as the user sees it.
func (r *run) base() step.State { return step.State{Base: r.Base} }

// at is where the steps of a node stand.
func at(n graph.Node) step.Place { return step.Place{Node: n.ID, Attempt: n.Attempt} }

// The nodes.
const (
	nodeOrchestrator = "orchestrator"
	nodeBaseline     = "baseline"
	nodeSpec         = "spec"
	nodePlan         = "planner"
	nodeExplore      = "explore"
	kindSubagent     = "subagent"
	nodeExecutor     = "executor"
	nodeReview       = "review"
	nodeAnswer       = "answer"
)

// Writing is the node that writes what is proposed: the model that users are shown a run has is this node's.
const Writing = nodeExecutor

// Asking are the nodes and roles that ask models, in the order in which they do.
func Asking() []string {
	return []string{nodeOrchestrator, nodeSpec, nodePlan, roleExplorer, nodeExecutor, nodeReview, nodeAnswer}
}

// Plans reports whether a node finds out what is to be done, before anything of it is.
func Plans(n graph.Node) bool {
	return slices.Contains([]string{nodeOrchestrator, kindSubagent, nodeBaseline, nodeSpec, nodePlan}, n.Kind)
}

// Verifies reports whether a node judges what was done.
func Verifies(n graph.Node) bool { return n.Kind == nodeReview }

// graph builds the graph of every run. It cannot fail: the nodes and edges are constants.
func (r *run) graph() *graph.Graph {
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
func (r *run) permits() graph.Permits {
	return graph.Permits{Nodes: r.Tasks, Of: map[string]int{nodeExecutor: r.Writers}}
}

// work does what a node is for. A node that was stopped in the middle says that, and not what it made of it.
func (r *run) work(ctx context.Context, n graph.Node) graph.Outcome {
	o := r.node(ctx, n)
	if ctx.Err() != nil && o.Status != graph.Done {
		return graph.Outcome{Status: graph.Blocked, Reason: stopped(ctx)}
	}
	return o
}

// stopped says why a context has ended.
func stopped(ctx context.Context) string {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause.Error()
	}
	return "cancelled"
}

func (r *run) node(ctx context.Context, n graph.Node) graph.Outcome {
	switch n.Kind {
	case kindOf(Ask), kindOf(Review), kindOf(Specify):
		return r.reader.readOnly(ctx, n)
	case nodeOrchestrator:
		return r.orchestrator.orchestrate(ctx, n)
	case nodeBaseline:
		return r.gates.measureBaseline(ctx, n)
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
func (r *run) result(ctx context.Context, err error) Result {
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
	return Result{
		State: event.Succeeded, Changes: r.whole.now.changes, Base: cmp.Or(r.whole.now.tree.Base, r.Base), Partly: r.partly(), Reports: r.whole.reviewer.reports,
	}
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

// outcome maps a step's signal on a node; lane is where a retryable fault leads.
func outcome(o step.Outcome, lane graph.EdgeType) graph.Outcome {
	reason := o.Reason
	switch {
	case o.Signal != step.Retryable:
		lane = graph.Normal
	case lane == graph.Normal: // nothing tries again by itself
		reason += ". Run again, or choose another model"
	}
	return graph.Outcome{Status: graph.Blocked, Reason: reason, Lane: lane}
}

// grow adds to the graph.
func (r *run) grow(more graph.Growth) graph.Outcome {
	r.Tell(event.GraphGrown(more))
	return graph.Outcome{Status: graph.Done, Grow: more}
}

// reportsOf are those of the module where a run is stuck, else of the whole.
func (r *run) reportsOf(stuck *graph.StuckError) []gate.Report {
	for _, n := range stuck.Nodes {
		if m := r.moduleOf(n); len(m.reviewer.reports) > 0 {
			return m.reviewer.reports
		}
	}
	return r.whole.reviewer.reports
}
