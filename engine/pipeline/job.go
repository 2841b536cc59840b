package pipeline

import (
	"forge/engine/graph"
	"forge/engine/plan"
	"forge/engine/step"
)

// job says which work a module does, and what comes before it.
type job struct {
	run   *run
	id    string     // before the names of its nodes; empty for the whole task
	part  *plan.Part // what it is of a plan; nil for the whole task, and for what joins parts
	after []*module  // whose results it begins with; parts of one tier have begun with the same
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
func (j *job) whole() bool { return j == j.run.whole.job }
