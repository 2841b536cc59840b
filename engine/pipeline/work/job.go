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

// Job says which work a module does, and what comes before it.
type Job struct {
	Run   *Run
	ID    string    // before the names of its nodes; empty for the whole task
	Part  *Part     // what it is of a plan; nil for the whole task, and for what joins parts
	After []*Module // whose results it begins with; parts of one tier have begun with the same
	Joins bool      // its first attempt only puts those together
}

// Node is the id of the module's node of a kind.
func (j *Job) Node(kind string) string {
	if j.ID == "" {
		return kind
	}
	return j.ID + "/" + kind
}

// At is where the steps of a role stand that asks in a node of the module.
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

// Promised is what the module has to fulfil, in words: a part what the plan says of it, the whole all of the task, and what joins parts
// in between nothing of its own.
func (j *Job) Promised() string {
	switch {
	case j.ID == "": // the whole
		return j.Run.Task.Text
	case j.Part == nil:
		return ""
	}
	return strings.Join(append([]string{j.Goal(), j.Part.DoneWhen}, j.Part.Verify...), "\n")
}

// Goal is what the module is about, in words by which files are found.
func (j *Job) Goal() string {
	if j.Part == nil {
		return j.Run.Task.Text
	}
	return strings.Join(append([]string{j.Part.Title, j.Part.Objective}, j.Part.Files...), "\n")
}

// Assignment is a part as the model that works on it sees it, with what the others do.
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

// otherParts are the parts of the plan that are not the module's.
func (j *Job) otherParts() (others []Part) {
	for _, other := range j.Run.Parts {
		if other.Job != j && other.Job.Part != nil {
			others = append(others, *other.Job.Part)
		}
	}
	return others
}

// within keeps a part out of the files that the plan gives to another one. A file that the plan forgot, because no part has it, is the
// part's as soon as the part changes it: what two parts make of such a file is put together where they are joined.
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

// Way decides how the change of the run is asked for.
func (j *Job) Way() mode.Way {
	way := mode.Choose(j.Run.Task.Profile, j.Run.Task.Mode, j.Recipe(), !j.Run.Task.NoTests)
	if j.Joins || len(j.Run.Project.Suites) == 0 { // its tests are those of its parts, or nothing would run them
		way.RedTests = false
	}
	return way
}

// Recipe is the kind of work that the module is.
func (j *Job) Recipe() Recipe {
	if j.Part != nil && j.Part.Type != "" {
		return Recipe(j.Part.Type)
	}
	return j.Run.Task.Recipe
}

// Shape is a module as nodes and edges of the graph: it begins after others, and its lanes lead back to its own explorer.
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

// The kinds of nodes that a module has, in order.
var OfModule = []string{NodeExplore, NodeExecutor, NodeReview}
