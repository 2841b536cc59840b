package pipeline

import (
	"context"
	"encoding/json"
	"fmt"

	"forge/engine/ask"
	"forge/engine/graph"
	"forge/engine/step"
	"forge/engine/tool"
)

// useTool has a tool of a set do something in a tree. What it changes is in the result, and counts once it is in the state of
// whoever asked. A tool that there is not, and arguments that are none, are results that say so. name is the step's.
//
// The error is for what could not be done or kept, and for a question that nobody answered: see unanswered.
func (r *run) useTool(ctx context.Context, n graph.Node, name string, set tool.Set, which string, args json.RawMessage, tree step.State) (step.ToolResult, error) {
	t, known := set.Named(which)
	switch {
	case !known:
		return step.ToolResult(set.Unknown(which)), nil
	case t.Person:
		return r.askForTool(ctx, n, args)
	}
	said, err := step.Call[step.ToolResult](ctx, r.Flow, at(n), name, step.ActivityTool,
		step.ToolCall{State: tree, Tool: which, Args: args, Timeout: t.Timeout})
	if err != nil {
		return said, fmt.Errorf("use %s: %w", which, err)
	}
	return said, nil
}

// leaveOpen is the choice of whoever does not decide what a model asks.
const leaveOpen = "open"

// askForTool puts a model's question to the person. Where nobody decides, the model is told to be careful.
func (r *run) askForTool(ctx context.Context, n graph.Node, args json.RawMessage) (step.ToolResult, error) {
	question, titles, err := tool.Question(args)
	if err != nil {
		return step.ToolResult{Text: err.Error(), Failed: true}, nil
	}
	choices := []ask.Choice{{ID: leaveOpen, Title: "Decide yourself, carefully"}}
	for i, title := range titles {
		choices = append(choices, ask.Choice{ID: fmt.Sprint(i + 1), Title: title})
	}
	answer, err := r.ask(ctx, n, ask.Question{Kind: ask.Clarify, Title: question, Choices: choices, Default: leaveOpen})
	if err != nil {
		return step.ToolResult{}, err
	}
	if answer.Text == "" && answer.Choice == leaveOpen {
		return step.ToolResult{Text: "the person leaves it to you: choose what is more careful, and say what you assumed"}, nil
	}
	return step.ToolResult{Text: "the person says: " + r.wording(answer, choices)}, nil
}
