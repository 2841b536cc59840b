package pipeline

import (
	"slices"

	"forge/engine/graph"
	"forge/engine/pipeline/work"
)

// Writing is the node that writes what is proposed: the model that users are shown a run has is this node's.
const Writing = work.NodeExecutor

// Asking are the nodes and roles that ask models, in the order in which they do.
func Asking() []string {
	return []string{work.NodeOrchestrator, work.NodeSpec, work.NodePlan, work.RoleExplorer, work.NodeExecutor, work.NodeReview, work.NodeAnswer}
}

// Plans reports whether a node finds out what is to be done, before anything of it is.
func Plans(n graph.Node) bool {
	return slices.Contains([]string{work.NodeOrchestrator, work.KindSubagent, work.NodeBaseline, work.NodeSpec, work.NodePlan}, n.Kind)
}

// Verifies reports whether a node judges what was done.
func Verifies(n graph.Node) bool { return n.Kind == work.NodeReview }
