package work

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/engine/graph"
	"forge/engine/integrity"
	"forge/engine/mode"
	"forge/engine/step"
	"forge/patch"
)

// Job is the work of a module, and its predecessors.
type Job struct {
	Run   *Run
	ID    string    // prefix of the names of its nodes; empty for the whole task
	Part  *Part     // its part of a plan; nil for the whole task, and for joining modules
	After []*Module // modules whose results it begins with; parts of one tier begin with the same
	Joins bool      // its first attempt only joins those
}

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

// OwnFiles keeps a part of a plan out of the files of other parts.
func (j *Job) OwnFiles(changes patch.ChangeSet) error {
	var errs []error
	for _, f := range changes.Files {
		for _, name := range integrity.Paths(f) {
			errs = append(errs, j.within(name))
		}
	}
	return errors.Join(errs...)
}

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
	fmt.Fprintf(&text, "%s: %s\n%s\nFiles: %s\nDone when: %s\n", p.ID, p.Title, strings.TrimSpace(p.Objective), strings.Join(p.Files, ", "), p.DoneWhen)
	for _, v := range p.Verify {
		fmt.Fprintf(&text, "- to be shown: %s\n", v)
	}
	for _, other := range j.otherParts() {
		fmt.Fprintf(&text, "Not yours: %s (%s): %s\n", other.ID, strings.Join(other.Files, ", "), strings.TrimSpace(other.Objective))
	}
	return strings.TrimRight(text.String(), "\n")
}

// otherParts returns the parts of the plan that are not the module's.
func (j *Job) otherParts() (others []Part) {
	for _, other := range j.Run.Parts {
		if other.Job != j && other.Job.Part != nil {
			others = append(others, *other.Job.Part)
		}
	}
	return others
}

// within keeps a part out of the files of other parts. A file that the plan gives to no part belongs to each part that changes it:
// the changes of two parts are joined with them.
func (j *Job) within(name string) error {
	if j.Part == nil || slices.Contains(j.Part.Files, name) {
		return nil
	}
	for _, other := range j.otherParts() {
		if slices.Contains(other.Files, name) {
			return fmt.Errorf("%s belongs to the part %s of the plan: leave it alone, and use what that part promises", name, other.ID)
		}
	}
	return nil
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
