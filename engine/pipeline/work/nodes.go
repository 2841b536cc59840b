package work

import (
	"forge/engine/graph"
	"forge/engine/step"
)

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
