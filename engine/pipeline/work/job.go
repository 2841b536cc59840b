package work

import (
	"cmp"
	"fmt"
	"strings"

	"forge/engine/graph"
	"forge/engine/mode"
	"forge/engine/plan"
	"forge/engine/step"
)

// Job is the work of a module, and its predecessors.
type Job struct {
	Run   *Run
	ID    string     // prefix of the names of its nodes; empty for the whole task
	Part  *plan.Part // its part of a plan; nil for the whole task, and for joining modules
	After []*Module  // modules whose results it begins with
	Joins bool       // its first attempt only joins those

	follows map[*Job]bool // what it builds on by the plan
	lending lending
}

// Timing returns how long the module may take.
func (j *Job) Timing() Timing {
	if j.Part == nil || j.Whole() {
		return Timing{}
	}
	return Timing{Part: j.ID, Levels: j.Part.Level(), Expected: j.Part.Minutes}
}

// manyOthers is from how many other parts on a part sees only the titles of those that it does not build on.
const manyOthers = 12

// Plan notes what the module builds on before anything runs.
func (j *Job) Plan() { j.follows = j.ancestors() }

// Node returns the id of the module's node of a kind.
func (j *Job) Node(kind string) string {
	if j.ID == "" {
		return kind
	}
	return j.ID + "/" + kind
}

// At returns the place of the steps of a role in a node of the module.
func (j *Job) At(role string, n graph.Node) step.Place {
	return step.Place{Node: j.Node(role), Attempt: n.Attempt}
}

// Whole reports whether it is all of the task.
func (j *Job) Whole() bool { return j.ID == "" }

// Promised returns the module's requirements, in words: those of a part in the plan, or the whole task; a joining module in between
// has none.
func (j *Job) Promised() string {
	switch {
	case j.ID == "": // the whole
		return j.Run.Task.Text
	case j.Part == nil:
		return ""
	}
	return strings.Join(append([]string{j.Goal(), j.Part.DoneWhen}, j.Part.Verify...), "\n")
}

// Goal returns the subject of the module, in words that find files.
func (j *Job) Goal() string {
	if j.Part == nil {
		return j.Run.Task.Text
	}
	return strings.Join(append([]string{j.Part.Title, j.Part.Objective}, j.Part.Files...), "\n")
}

// Assignment returns a part for the model that works on it, with the tasks of the others.
func (j *Job) Assignment() string {
	var text strings.Builder
	p := j.Part
	fmt.Fprintf(&text, "%s: %s\n%s\nFiles: %s; others that no part has, if the work needs them\nDone when: %s\n", p.ID, p.Title, strings.TrimSpace(p.Objective), strings.Join(p.Files, ", "), p.DoneWhen)
	for _, v := range p.Verify {
		fmt.Fprintf(&text, "- to be shown: %s\n", v)
	}
	others := j.others()
	for _, m := range others {
		other := m.Job.Part
		purpose := strings.TrimSpace(other.Objective)
		if len(others) >= manyOthers && !j.BuildsOn(m.Job) {
			purpose = other.Title
		}
		fmt.Fprintf(&text, "Not yours: %s (%s): %s\n", other.ID, strings.Join(other.Files, ", "), purpose)
	}
	return strings.TrimRight(text.String(), "\n")
}

// Way decides how the change is requested.
func (j *Job) Way() mode.Way {
	way := mode.Choose(j.Run.Task.Profile, j.Run.Task.Mode, j.Recipe(), !j.Run.Task.NoTests)
	if j.Joins || len(j.Run.Project.Suites) == 0 { // its tests are those of its parts, or there is no suite
		way.RedTests = false
	}
	return way
}

// Recipe returns the module's kind of work.
func (j *Job) Recipe() Recipe {
	if j.Part != nil && j.Part.Type != "" {
		return Recipe(j.Part.Type)
	}
	return j.Run.Task.Recipe
}

// Commands returns the commands that verify the module's result: those of its part, and for the whole those of parts that were divided.
func (j *Job) Commands() []plan.Command {
	switch {
	case j.Part != nil:
		return j.Part.Commands()
	case j.Whole():
		return j.Run.Verify
	}
	return nil
}

// Shape returns a module as nodes and edges of the graph: it begins after others, and its lanes lead back to its own explorer.
//
//	after ─► explore ─► executor ─► review
//	           ▲ ▲ failed │          │ review_fail
//	           └─┴────────┴──────────┘
func (j *Job) Shape(after ...string) (g graph.Growth) {
	explore, executor, review := j.Node(NodeExplore), j.Node(NodeExecutor), j.Node(NodeReview)
	for _, kind := range OfModule {
		g.Nodes = append(g.Nodes, graph.Node{ID: j.Node(kind), Kind: kind})
	}
	for _, id := range after {
		g.Edges = append(g.Edges, graph.Edge{From: id, To: explore, Type: graph.Normal})
	}
	g.Edges = append(g.Edges,
		graph.Edge{From: explore, To: executor, Type: graph.Normal},
		graph.Edge{From: executor, To: review, Type: graph.Normal},
		graph.Edge{From: executor, To: explore, Type: graph.Failure},
		graph.Edge{From: review, To: explore, Type: graph.ReviewFail})
	return g
}

// OfModule are the kinds of nodes that a module has, in order.
var OfModule = []string{NodeExplore, NodeExecutor, NodeReview}

// Module is the state of a module: its work, and the results of its attempts so far.
type Module struct {
	Run       *Run
	Job       *Job
	Budget    *Budget
	Questions *Questions
	Start     *Start
	Now       *Attempt
	Tests     *Tests
	Findings  *Findings
	History   *History
}

// NewModule returns the state of a module that has done nothing yet. most and tools limit its exchanges with models and its tool
// calls.
func NewModule(j *Job, most, tools int) *Module {
	r := j.Run
	u := &Module{Run: r, Job: j, Start: &Start{}, Findings: &Findings{}}
	u.Budget = &Budget{run: r, job: j, Most: most, Tools: tools}
	u.Questions = &Questions{run: r, job: j}
	u.Now = &Attempt{run: r, job: j, begin: u.Start}
	u.Tests = &Tests{run: r, begin: u.Start, now: u.Now}
	u.History = &History{run: r, job: j, now: u.Now, tested: u.Tests}
	return u
}

// Folder returns the tree without the change: the user's, also if they have changed it before they resumed the run.
func (u *Module) Folder() step.State { return step.State{Base: cmp.Or(u.History.Moved, u.Run.Base)} }

// At returns the place of a node's steps.
func At(n graph.Node) step.Place { return step.Place{Node: n.ID, Attempt: n.Attempt} }

// The nodes.
const (
	NodeOrchestrator = "orchestrator"
	NodeBaseline     = "baseline"
	NodeSpec         = "spec"
	NodePlan         = "planner"
	NodeExplore      = "explore"
	KindSubagent     = "subagent"
	NodeExecutor     = "executor"
	NodeReview       = "review"
	NodeAnswer       = "answer"
)

// The phases of an attempt: of tests, and of the implementation.
const PhaseTests, PhaseImplementation = "tests", "implementation"

// The roles of models besides the nodes: they choose the model of a call. An explorer asks in NodeExplore.
const (
	RoleExplorer = "explorer"
	RoleOverseer = "overseer"
	RoleDebugger = "debugger"
)
