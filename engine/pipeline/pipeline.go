// Package pipeline is what a run does: a graph of five nodes that ask a model and one that does not,
// each in a file of its own.
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
// executor tries again.
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
	"context"
	"errors"
	"slices"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/intent"
	"forge/engine/mode"
	"forge/engine/prompt"
	"forge/engine/step"
	"forge/patch"
)

// Project is what Forge knows of what is in a tree. Its functions are pure.
type Project struct {
	Gates  []string // names, cheapest first
	Suites []Suite  // the tests: one for each project in the tree that has some
	Waived []string // gates that the person has waived: they are not run, and it is told
	Known  []string // the languages whose projects Forge finds, for people: "go (go.mod)"
}

// Suite is the tests of one project in the tree.
type Suite struct {
	Gate   string // its name; in Project.Gates
	IsTest func(path string) bool
	// Concerns reports whether a change of a path can change what the tests say. Nil: that of any path can.
	Concerns func(path string) bool
	// Red reports whether the tests of a tree fail where they did not before, as they must before there
	// is an implementation; if not, it says why.
	Red func(before, after gate.Report) (red bool, reason string)
}

// IsTest reports whether a path belongs to any tests.
func (p Project) IsTest(path string) bool {
	return slices.ContainsFunc(p.Suites, func(s Suite) bool { return s.IsTest(path) })
}

// suites are those that a change has tests for.
func (p Project) suites(tests patch.ChangeSet) (found []Suite) {
	for _, s := range p.Suites {
		if slices.ContainsFunc(tests.Files, func(f patch.FileChange) bool { return s.IsTest(f.Path) }) {
			found = append(found, s)
		}
	}
	return found
}

// Recipe is the kind of work.
type Recipe = mode.Recipe

// The recipes that the code of a run is about; mode.Recipes lists all.
const (
	Implement = mode.Implement
	Refactor  = mode.Refactor
)

// Task is what a person asked for.
type Task struct {
	Text   string
	Recipe Recipe
	Focus  Focus
	// Class is what kind of work the task is, by rules; the zero Class is that nobody looked.
	Class intent.Class
	// ApproveSpec asks a person before anything is generated from a specification.
	ApproveSpec bool
	// NoReview leaves the reviewer out, because the person's settings say so.
	NoReview bool
	// Mode bounds what the run may spend and do; the zero Mode is the default one.
	Mode mode.Mode
	// Profile is how a person wants the change to be asked for; empty leaves it to mode and recipe.
	Profile mode.Profile
	// NoTests says that what is asked for needs no tests of its own, such as a change of settings.
	NoTests bool
	// Direct are tools that do the work, where it was decided already: then no model is asked for an implementation.
	Direct []Action
	// KeepFormat leaves files as models wrote them: no formatter touches them.
	KeepFormat bool
}

// Focus is what the person pointed at; the zero Focus is the whole tree.
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
	Brief   step.Brief // what every model of the run is told
	Project Project
	// Attempts is how often the executor may try; 0 means DefaultAttempts.
	Attempts int
	// Steps is how many exchanges with models the run may have, repairs not counted; 0 means DefaultSteps.
	Steps int
	// ToolCalls is how many tools the run may use in turns; 0 means DefaultToolCalls.
	ToolCalls int
	// Rounds is how often it is asked what else must be read before anything is written; 0 means DefaultRounds, below none.
	Rounds int
	// Retries are what a person had tried again after the run had come to nothing, in order.
	Retries []Retry
}

// DefaultAttempts is how often the executor may try before the run gives up.
const DefaultAttempts = 3

// permits is how many nodes run at once.
const permits = 4

// Result is what a run came to.
type Result struct {
	State   event.State
	Reason  string // for people; empty for Succeeded
	Changes patch.ChangeSet
	Reports []gate.Report // of the last review
	Spec    Spec          // that was worked from; zero where there was none, or none was approved
	Review  *gate.Report  // what the reviewer said last; nil where nobody was asked. An opinion, and no gate
	Answer  string        // to what was asked: Markdown
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
	err := g.RunOn(ctx, r.Crew, permits, r.work, func(n graph.Node) { r.Tell(event.NodeChanged{Node: n}) })
	result := r.result(ctx, err)
	result.Spec, result.Review, result.Answer = r.approved, r.opinion, r.answer
	return result
}

// run is the state of one run. A node's results are written by that node alone and read by nodes that
// wait for it, so that the graph's order is the only lock they need.
type run struct {
	Env
	task     Task
	baseline []gate.Report    // by baseline
	spec     string           // by spec; empty when it was skipped
	approved Spec             // by spec: the same with its title, once it was approved
	declined bool             // by spec: a person did not want it
	explored []looked         // by explore: in all attempts
	advice   []prompt.Section // by explore: for this attempt
	finished string           // by orchestrator: why there is nothing to do
	tests    *patch.ChangeSet // by executor: tests that were seen red
	red      []seenRed        // by executor: what those of each suite were seen to do
	last     patch.ChangeSet  // by executor: the latest edit, accepted or not
	steps    int              // by whoever asks a model: exchanges so far
	calls    int              // by executor: tools used so far
	unparsed bool             // by executor: the last syntax check found something
	idle     string           // by executor: why the attempt is taken for none; empty where something was changed
	tree     step.State       // by executor: the edits of the attempt, as they were matched
	changes  patch.ChangeSet  // by executor: all of the attempt
	listing  *step.Listing    // by orchestrator: the files of the snapshot; nil until they were listed
	attempt  int              // by executor
	reports  []gate.Report    // by review
	opinion  *gate.Report     // by review: what the reviewer said last
	answer   string           // by answer: what was asked for
	// faultyTests is set by review when the fault lies in the tests themselves, so that the executor
	// writes them anew although tests are frozen otherwise.
	faultyTests bool
	// What follows is of the attempts, in order: written by executor and review, read before the next attempt.
	tries      []try        // that were judged
	edits      []edited     // of this attempt, so far
	saw        []string     // files that the model was shown whole
	trouble    string       // what went wrong in the last attempt
	class      string       // of the last diagnosis
	causes     []string     // that the debugger named
	strategies []string     // that it named
	lost       []step.Place // of roles that could not be asked
	resulted   string       // a digest of what this attempt came to
	repeated   bool         // an attempt came to what an earlier one came to

	asked  int  // by spec: number of questions so far
	usedUp bool // by executor and review: there are no attempts left
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
	if task.Mode.Name == "" {
		task.Mode, _ = mode.Lookup("") // the default is in the table
	}
	if task.Mode.Answers() && !Reads(task.Recipe) {
		task.Recipe = Ask // a mode without mutations has no executor
	}
	return &run{Env: env, task: task}
}

// base is the tree as the person sees it.
func (r *run) base() step.State { return step.State{Base: r.Base} }

// at is where the steps of a node stand.
func at(n graph.Node) step.Place { return step.Place{Node: n.ID, Attempt: n.Attempt} }

// The nodes.
const (
	nodeOrchestrator = "orchestrator"
	nodeBaseline     = "baseline"
	nodeSpec         = "spec"
	nodeExplore      = "explore"
	nodeExecutor     = "executor"
	nodeReview       = "review"
	nodeAnswer       = "answer"
)

// Writing is the node that writes what is proposed: the model that people are told a run has is this node's.
const Writing = nodeExecutor

// Asking are the nodes and roles that ask models, in the order in which they do.
func Asking() []string {
	return []string{nodeOrchestrator, nodeSpec, roleExplorer, nodeExecutor, nodeReview, nodeAnswer}
}

// graph builds the graph of every run. It cannot fail: the nodes and edges are constants.
func (r *run) graph() *graph.Graph {
	if Reads(r.task.Recipe) {
		return r.readingGraph()
	}
	g := &graph.Graph{MaxHops: graph.DefaultMaxHops * (1 + len(r.Retries))}
	for _, id := range []string{nodeOrchestrator, nodeBaseline, nodeSpec, nodeExplore, nodeExecutor, nodeReview} {
		must(g.AddNode(id, id))
	}
	must(g.AddEdge(nodeOrchestrator, nodeSpec, graph.Normal))
	must(g.AddEdge(nodeOrchestrator, nodeBaseline, graph.Normal))
	must(g.AddEdge(nodeSpec, nodeExplore, graph.Normal))
	must(g.AddEdge(nodeBaseline, nodeExplore, graph.Normal))
	must(g.AddEdge(nodeExplore, nodeExecutor, graph.Normal))
	must(g.AddEdge(nodeExecutor, nodeReview, graph.Normal))
	must(g.AddEdge(nodeExecutor, nodeExplore, graph.Failure))
	must(g.AddEdge(nodeReview, nodeExplore, graph.ReviewFail))
	return g
}

func must(err error) {
	if err != nil {
		panic(err)
	}
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
		return r.readOnly(ctx, n)
	case nodeOrchestrator:
		return r.orchestrate(ctx, n)
	case nodeBaseline:
		return r.measureBaseline(ctx, n)
	case nodeSpec:
		return r.specify(ctx, n)
	case nodeExplore:
		return r.explore(ctx, n)
	case nodeExecutor:
		return r.execute(ctx, n)
	default:
		return r.review(ctx, n)
	}
}

// result tells what the end of the graph means for the person.
func (r *run) result(ctx context.Context, err error) Result {
	var stuck *graph.StuckError
	switch {
	case ctx.Err() != nil:
		return Result{State: event.Cancelled, Reason: "cancelled"}
	case r.declined:
		return Result{State: event.Cancelled, Reason: "the specification was not approved, so nothing was generated"}
	case r.finished != "":
		return Result{State: event.Succeeded, Reason: r.finished}
	case errors.As(err, &stuck):
		return Result{State: stuckState(stuck), Reason: stuckReason(stuck), Reports: r.reports, Retry: r.retry(stuck)}
	case err != nil:
		return Result{State: event.Failed, Reason: err.Error(), Reports: r.reports}
	}
	return Result{State: event.Succeeded, Changes: r.changes, Reports: r.reports}
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
