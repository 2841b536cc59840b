package pipeline

import (
	"slices"

	"forge/engine/graph"
	"forge/engine/pipeline/work"
)

// Writing is the node that writes the change: its model is the one that users see for a run.
const Writing = work.NodeExecutor

// Asking returns the nodes and roles that call models, in order.
func Asking() []string {
	return []string{work.NodeOrchestrator, work.NodeSpec, work.NodePlan, work.RoleExplorer, work.NodeExecutor, work.NodeReview, work.NodeAnswer}
}

// Plans reports whether a node decides what to do, before anything is done.
func Plans(n graph.Node) bool {
	return slices.Contains([]string{work.NodeOrchestrator, work.KindSubagent, work.NodeBaseline, work.NodeSpec, work.NodePlan}, n.Kind)
}

// Verifies reports whether a node judges the work.
func Verifies(n graph.Node) bool { return n.Kind == work.NodeReview }
