package pipeline

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/engine/graph"
	"forge/engine/integrity"
	"forge/engine/mode"
	"forge/engine/plan"
	"forge/engine/step"
	"forge/patch"
)

// job says which work a module does, and what comes before it.
type job struct {
	run   *run
	id    string     // before the names of its nodes; empty for the whole task
	part  *plan.Part // what it is of a plan; nil for the whole task, and for what joins parts
	after []*unit    // whose results it begins with; parts of one tier have begun with the same
	joins bool       // its first attempt only puts those together
}

// node is the id of the module's node of a kind.
func (j *job) node(kind string) string {
	if j.id == "" {
		return kind
	}
	return j.id + "/" + kind
}

// as is where the steps of a role stand that asks in a node of the module.
func (j *job) as(role string, n graph.Node) step.Place {
	return step.Place{Node: j.node(role), Attempt: n.Attempt}
}

// whole reports whether it is all of the task.
func (j *job) whole() bool { return j.id == "" }

// ownFiles keeps a part of a plan out of the files of other parts.
func (j *job) ownFiles(changes patch.ChangeSet) error {
	var errs []error
	for _, f := range changes.Files {
		for _, name := range integrity.Paths(f) {
			errs = append(errs, j.within(name))
		}
	}
	return errors.Join(errs...)
}

// promised is what the module has to fulfil, in words: a part what the plan says of it, the whole all of the task, and what joins parts
// in between nothing of its own.
func (j *job) promised() string {
	switch {
	case j.id == "": // the whole
		return j.run.task.Text
	case j.part == nil:
		return ""
	}
	return strings.Join(append([]string{j.goal(), j.part.DoneWhen}, j.part.Verify...), "\n")
}

// goal is what the module is about, in words by which files are found.
func (j *job) goal() string {
	if j.part == nil {
		return j.run.task.Text
	}
	return strings.Join(append([]string{j.part.Title, j.part.Objective}, j.part.Files...), "\n")
}

// assignment is a part as the model that works on it sees it, with what the others do.
func (j *job) assignment() string {
	var text strings.Builder
	p := j.part
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
func (j *job) otherParts() (others []plan.Part) {
	for _, other := range j.run.parts {
		if other.job != j && other.job.part != nil {
			others = append(others, *other.job.part)
		}
	}
	return others
}

// within keeps a part out of the files that the plan gives to another one. A file that the plan forgot, because no part has it, is the
// part's as soon as the part changes it: what two parts make of such a file is put together where they are joined.
func (j *job) within(name string) error {
	if j.part == nil || slices.Contains(j.part.Files, name) {
		return nil
	}
	for _, other := range j.otherParts() {
		if slices.Contains(other.Files, name) {
			return fmt.Errorf("%s belongs to the part %s of the plan: leave it alone, and use what that part promises", name, other.ID)
		}
	}
	return nil
}

// way decides how the change of the run is asked for.
func (j *job) way() mode.Way {
	way := mode.Choose(j.run.task.Profile, j.run.task.Mode, j.recipe(), !j.run.task.NoTests)
	if j.joins || len(j.run.Project.Suites) == 0 { // its tests are those of its parts, or nothing would run them
		way.RedTests = false
	}
	return way
}

// recipe is the kind of work that the module is.
func (j *job) recipe() Recipe {
	if j.part != nil && j.part.Type != "" {
		return Recipe(j.part.Type)
	}
	return j.run.task.Recipe
}

// shape is a module as nodes and edges of the graph: it begins after others, and its lanes lead back to its own explorer.
//
//	after ─► explore ─► executor ─► review
//	           ▲ ▲ failed │          │ review_fail
//	           └─┴────────┴──────────┘
func (j *job) shape(after ...string) (g graph.Growth) {
	explore, executor, review := j.node(nodeExplore), j.node(nodeExecutor), j.node(nodeReview)
	for _, kind := range ofModule {
		g.Nodes = append(g.Nodes, graph.Node{ID: j.node(kind), Kind: kind})
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
var ofModule = []string{nodeExplore, nodeExecutor, nodeReview}
