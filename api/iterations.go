package api

import "forge/memory"

// IterationsArgs choose attempts of runs.
type IterationsArgs struct {
	RunID string `json:"runId,omitempty" doc:"the run, of any session; without it all of the folder"`
	Node  string `json:"node,omitempty" doc:"only of this node, such as executor, or pay/executor of a part of a plan"`
	Reset bool   `json:"reset,omitempty" doc:"forget them; runId is needed for that"`
	InFolder
}

// IterationsResult lists attempts: of the run that began last first, and within it node by node.
type IterationsResult struct {
	Iterations []Iteration `json:"iterations" doc:"of a reset none"`
	Forgotten  int         `json:"forgotten,omitempty" doc:"how many a reset has forgotten"`
}

// Iteration is how one attempt of a node came out.
type Iteration struct {
	RunID    string   `json:"runId"`
	Node     string   `json:"node"`
	Attempt  int      `json:"attempt" doc:"from 1"`
	Accepted bool     `json:"accepted" doc:"every gate opened for it, and the review too"`
	Passed   int      `json:"passed" doc:"checks"`
	Total    int      `json:"total" doc:"checks"`
	Score    float64  `json:"score" doc:"from 0 to 1: the share of checks that passed"`
	Failures []string `json:"failures" doc:"ids of what failed: gate, place, test, rule, message"`
	Class    string   `json:"class,omitempty" doc:"why the attempt before failed, where that is known" enum:"stuck,missing_context,blocked"`
	Reason   string   `json:"reason,omitempty" doc:"why it was not accepted"`
	TS       string   `json:"ts" doc:"RFC 3339, UTC"`
}

// IterationsOf returns attempts as they go over the wire.
func IterationsOf(attempts []memory.Attempt) IterationsResult {
	return IterationsResult{Iterations: list(attempts, func(a memory.Attempt) Iteration {
		return Iteration{
			RunID: a.Run, Node: a.Node, Attempt: a.Attempt, Accepted: a.Accepted(), Passed: a.Passed, Total: a.Total, Score: a.Score(),
			Failures: some(a.Failures), Class: a.Class, Reason: a.Reason, TS: stamp(a.At),
		}
	})}
}
