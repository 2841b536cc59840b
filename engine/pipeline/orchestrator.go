package pipeline

import (
	"context"

	"forge/engine/graph"
	"forge/engine/step"
)

const orchestratorInstructions = `You decide how a request to change a code base is carried out. You do not write code.
Answer with one JSON object:
- "action": "generate_spec" when the request needs a short specification first (anything that adds or
  changes behaviour), "executor" when it is so small and clear that it can be implemented as it stands,
  "done" when nothing has to be changed.
- "reason": one sentence, for the person who asked.`

// decision is the orchestrator's answer.
type decision struct {
	Action string `json:"action" jsonschema:"generate_spec, executor or done"`
	Reason string `json:"reason" jsonschema:"one sentence"`
}

func (d decision) check() error {
	return oneOf("action", d.Action, "generate_spec", "executor", "done")
}

// orchestrate lets the model choose the way through the graph. What the model chooses only skips
// nodes; it can add none.
func (r *run) orchestrate(ctx context.Context, n graph.Node) graph.Outcome {
	files, err := r.overview(ctx, n)
	if err != nil {
		return failed("list the files", err)
	}
	choice, o := decide(ctx, r, n, step.Step[decision]{
		Name: "decision", Key: "decision", MaxTokens: 512, Check: decision.check,
		Document: r.compose(n.ID, orchestratorInstructions, files),
	})
	if o.Signal != step.Success {
		return outcome(o, graph.Normal)
	}
	switch choice.Action {
	case "executor":
		return graph.Outcome{Status: graph.Done, Reason: choice.Reason, Skip: []string{nodeSpec}}
	case "done":
		r.finished = choice.Reason
		return graph.Outcome{Status: graph.Done, Reason: choice.Reason, Skip: []string{nodeBaseline, nodeSpec, nodeExplore, nodeExecutor, nodeReview}}
	}
	return graph.Outcome{Status: graph.Done, Reason: choice.Reason}
}
