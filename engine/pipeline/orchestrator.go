package pipeline

import (
	"context"
	"fmt"
	"strings"

	"forge/engine/event"
	"forge/engine/graph"
	"forge/engine/intent"
	"forge/engine/mode"
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
	// Kind is heard where the rules are not sure. It costs no call of its own.
	Kind string `json:"kind,omitempty" jsonschema:"the kind of work: bugfix, refactor, optimisation, feature, test, setup, analysis or conversation"`
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
	asks := r.onlyAsks()
	r.classify(choice.Kind)
	switch choice.Action {
	case "executor":
		return graph.Outcome{Status: graph.Done, Reason: choice.Reason, Skip: []string{nodeSpec}}
	case "done":
		if !asks {
			return graph.Outcome{Status: graph.Blocked, Reason: fmt.Sprintf(
				"the model says that nothing has to be changed: %s. If that is not so, say what is missing, or choose another model", strings.TrimSuffix(digest(choice.Reason, 300), "."))}
		}
		r.finished = choice.Reason
		return graph.Outcome{Status: graph.Done, Reason: choice.Reason, Skip: []string{nodeBaseline, nodeSpec, nodeExplore, nodeExecutor, nodeReview}}
	}
	return graph.Outcome{Status: graph.Done, Reason: choice.Reason}
}

// onlyAsks reports whether rules take the request for a question, which may need no change. A model's word for it does not count: whoever
// says that there is nothing to do would say as well that nothing was wanted.
func (r *run) onlyAsks() bool {
	return r.task.Class.Kind == intent.Analysis || r.task.Class.Kind == intent.Conversation
}

// classify takes the model's word for the kind of work, where the rules are not sure or the mode is heavy; a word that is no kind is none.
func (r *run) classify(kind string) {
	by := r.task.Class
	if by.Kind == "" || by.Sure() && r.task.Mode.Name != mode.Heavy {
		return
	}
	c := by.Named(kind)
	if c.Kind == by.Kind && c.Confidence == by.Confidence {
		return
	}
	r.task.Class = c
	r.Tell(event.TaskClassified{Class: event.Class{
		Kind: string(c.Kind), Confidence: c.Confidence, Scope: c.Scope, RequiresTests: c.RequiresTests, RequiresReview: c.RequiresReview,
	}})
}
