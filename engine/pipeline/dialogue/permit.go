package dialogue

import (
	"context"
	"errors"
	"fmt"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/graph"
	"forge/engine/permission"
	"forge/engine/pipeline/work"
	"forge/engine/step"
	"forge/engine/tool"
)

// call calls a tool. If the user has to be asked first, the call is made again with the answer. name is the step's.
func (p *Phase) call(ctx context.Context, name string, a action, c step.ToolCall) (said step.ToolResult, o step.Outcome, err error) {
	said, asked, o, err := asker{p.Module, p.Node}.call(ctx, name, a, c)
	switch {
	case o.Signal != step.Success:
	case asked == nil:
		p.circled(a, said.Refused)
	case said.Refused != nil && asked.Code == permission.CodeRepeated:
		p.circled(a, asked)
	}
	return said, o, err
}

// callFor calls a tool for a node. If the user has to be asked first, the call is made again with the answer. name is the step's.
func callFor(ctx context.Context, u *work.Module, n graph.Node, name string, c step.ToolCall) (step.ToolResult, step.Outcome, error) {
	said, _, o, err := asker{u, n}.call(ctx, name, actionOf(c.Tool, c.Args), c)
	return said, o, err
}

// asker calls tools for a node, and asks the user where the policy demands it.
type asker struct {
	*work.Module
	node graph.Node
}

// call calls a tool. asked is why the user was asked; nil if they were not.
func (k asker) call(ctx context.Context, name string, a action, c step.ToolCall) (said step.ToolResult, asked *permission.Decision, o step.Outcome, err error) {
	activity := step.ActivityTool
	if tool.IsMCP(c.Tool) {
		activity = step.ActivityMCP
	}
	said, err = activity.Call(ctx, k.Run.Flow, work.At(k.node), name, c)
	if err != nil || said.Refused == nil || said.Refused.Verdict == permission.Deny {
		return said, nil, o, err
	}
	asked = said.Refused
	if c.Answer, o = k.permit(ctx, a, *asked); o.Signal != step.Success {
		return said, asked, o, nil
	}
	said, err = activity.Call(ctx, k.Run.Flow, work.At(k.node), name+"/answered", c)
	return said, asked, o, err
}

// circled records a call that was refused because the model repeats it although nothing has changed.
func (p *Phase) circled(a action, refused *permission.Decision) {
	if refused != nil && refused.Layer != "answer" && (refused.Code == permission.CodeRepeated || refused.Code == permission.CodeNonInteractive && p.Budget.InCircle()) {
		p.circle = a.title()
	}
}

// permit asks the user about a call, as it would be made. No answer allows nothing.
func (k asker) permit(ctx context.Context, a action, asked permission.Decision) (*permission.Approval, step.Outcome) {
	answer, err := k.Questions.Ask(ctx, k.node, question(a, asked))
	var failed *flow.Failure
	if errors.As(err, &failed) && failed.Kind == step.FailureNoAnswer && asked.Code == permission.CodeRepeated {
		answer.Choice, err = string(permission.No), nil
	}
	if err != nil {
		return nil, work.NoAnswer(ctx, err)
	}
	scope := scopes[answer.Choice]
	if scope == "" || asked.Verdict == permission.AskStrict && scope != permission.Once {
		scope = permission.No
	}
	given := permission.Approve(asked.Digest, scope, k.Run.Flow.RunID(), k.Questions.Last(), answer.At)
	return &given, step.Outcome{}
}

// scopes are the answers that allow a call, by the names of the choices.
var scopes = map[string]permission.Scope{"allow": permission.Once, "run": permission.Run, "project": permission.Project}

// suggestAfter is how often the user has allowed the same once before a longer answer is suggested. Only the user gives it.
const suggestAfter = 3

// question is the one about a call: it shows the arguments exactly as they would be used.
func question(a action, asked permission.Decision) event.Question {
	t := a.tool()
	q := event.Question{
		Kind: event.AskPermission, Title: fmt.Sprintf("Let the model use %s?", a.title()),
		Detail:  fmt.Sprintf("Asked because %s.\n\n    %s", asked.Reason, a.shown()),
		Choices: []event.Choice{{ID: "deny", Title: "No"}, {ID: "allow", Title: "Yes, this once"}}, Default: "deny",
	}
	switch {
	case asked.Code == permission.CodeRepeated:
		q.Kind = event.AskUnblock
	case asked.Verdict == permission.Ask:
		q.Flag = permission.FlagFor(t.Action("", "", nil).Kind)
		q.Choices = append(q.Choices, event.Choice{ID: "run", Title: "Yes, for this run"}, event.Choice{ID: "project", Title: "Yes, for this project"})
	}
	if asked.Verdict == permission.Ask && asked.Allowed >= suggestAfter {
		q.Detail += fmt.Sprintf("\n\nYou have allowed exactly this %d times. An answer for this project saves the question; forge permissions lists such answers.", asked.Allowed)
	}
	return q
}
