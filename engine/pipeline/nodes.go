package pipeline

import (
	"forge/engine/graph"
	"forge/engine/step"
	"slices"
)

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

// The phases of an attempt: of tests, and of the implementation.
const nameTests, nameImplementation = "tests", "implementation"

// The roles that models have beside the nodes: calls of them are routed by these names. An explorer asks in nodeExplore.
const (
	roleExplorer = "explorer"
	roleOverseer = "overseer"
	roleDebugger = "debugger"
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
