package dialogue

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/permission"
	"forge/engine/pipeline/work"
	"forge/engine/step"
	"forge/engine/tool"
)

// action is a tool to call.
type action struct {
	Tool string    `json:"tool"`
	Args tool.Args `json:"args"`
}

// actionOf returns a call of a tool as an action. The tool reports invalid arguments.
func actionOf(name string, args json.RawMessage) action {
	a := action{Tool: name}
	_ = json.Unmarshal(args, &a.Args)
	return a
}

// tool returns the tool that is named; the zero Tool if there is none.
func (a action) tool() tool.Tool {
	t, _ := tool.Grants{}.Find(a.Tool)
	return t
}

// title describes an action for the user and models, in one line.
func (a action) title() string {
	args := a.Args
	what := cmp.Or(args.Symbol, args.Find, args.Path, args.Pattern, args.Query, args.Question, args.URL, strings.Join(args.Argv, " "), strings.Join(args.Paths, " "), args.Input)
	what, _, _ = strings.Cut(what, "\n")
	return strings.TrimSpace(a.Tool + " " + work.Shorten(what, 100))
}

// arguments returns the arguments as JSON.
func (a action) arguments() json.RawMessage {
	text, _ := json.Marshal(a.Args) // strings, numbers and lists of them
	return text
}

// shown returns the arguments for the user's decision: of a tool of an MCP server, the object that is sent.
func (a action) shown() string {
	if tool.IsMCP(a.Tool) {
		return a.Args.Input
	}
	return string(a.arguments())
}

// act calls a tool on the tree of the attempt, for an agent of the run. Its result is never an error: an unknown or refused tool, and a
// forbidden change, are reported to the model. Its changes are in the tree afterwards.
func (p *Phase) act(ctx context.Context, key string, a action, agent permission.Agent) (result string, changed bool, o step.Outcome) {
	t := a.tool() // an unknown one is refused, and recorded, like the others
	if t.AnsweredByUser && agent == permission.Build {
		return p.askPerson(ctx, a)
	}
	if refusal := p.tooFar(t); refusal != "" {
		return refusal, false, o
	}
	said, o, err := p.call(ctx, "tool/"+p.Name+"/"+key, a, step.ToolCall{
		State: p.Now.Tree, Tool: a.Tool, Args: a.arguments(), Timeout: t.Timeout, Agent: agent, Repeats: p.Budget.Repeat(p.Now, tool.Key(a.Tool, a.arguments())),
	})
	var failed *flow.Failure
	switch {
	case o.Signal != step.Success:
		return "", false, o
	case ctx.Err() != nil:
		return "", false, step.Outcome{Signal: step.Terminal, Reason: "cancelled"}
	case errors.As(err, &failed):
		return work.Shorten("failed: "+failed.Error(), work.MaxDigest), false, o
	case err != nil:
		return "", false, step.Outcome{Signal: step.NeedsHuman, Reason: err.Error()}
	}
	p.Now.Work.Used(a.Tool, said.Failed)
	p.used(a, said)
	if file, _ := a.read(said.Text); file != "" {
		p.Findings.AddShown(file)
	}
	return p.take(a, said)
}

// used reports a call of a tool.
func (p *Phase) used(a action, said step.ToolResult) {
	u := event.ToolUsed{
		Node: p.Node.ID, Attempt: p.Node.Attempt, Tool: a.Tool, Args: work.Shorten(string(a.arguments()), 200),
		Failed: said.Failed, Cut: said.Cut, Bytes: len(said.Text),
	}
	if said.Refused != nil {
		u.Refused, u.Reason = said.Refused.Code, said.Refused.Reason
	}
	p.Run.Emit(u)
}

// take applies a tool's changes to the tree, if they are allowed.
func (p *Phase) take(a action, said step.ToolResult) (result string, changed bool, o step.Outcome) {
	if len(said.Change.Files) == 0 {
		return said.Text, false, o // the tool has truncated it already, and names the next part
	}
	if err := p.allowTool(a, said.Change); err != nil {
		return work.Shorten("nothing was changed: "+err.Error(), work.MaxDigest), false, o
	}
	p.Now.Add(said.Change)
	return said.Text, true, o
}

// maxAbroad limits how many tool calls of a run may leave the machine.
const maxAbroad = 20

// tooFar returns why a call may not leave the machine any more: the run reached its limit of such calls.
func (p *Phase) tooFar(t tool.Tool) string {
	if t.Effect != permission.Network {
		return ""
	}
	if most := max(1, maxAbroad/(1+len(p.Run.Parts))); p.Budget.Network >= most { // parts share the run's limit
		return fmt.Sprintf("this run reads nothing more from the web: it has made %d requests. Finish with what you have", most)
	}
	p.Budget.Network++
	return ""
}

// askPerson asks the user the model's own question.
func (p *Phase) askPerson(ctx context.Context, a action) (result string, changed bool, o step.Outcome) {
	question, titles, err := tool.Question(a.arguments())
	if err != nil {
		return err.Error(), false, o
	}
	choices := []event.Choice{{ID: leaveOpen, Title: "Decide yourself, carefully"}}
	for i, title := range titles {
		choices = append(choices, event.Choice{ID: fmt.Sprint(i + 1), Title: title})
	}
	answer, err := p.Questions.Ask(ctx, p.Node, event.Question{Kind: event.AskClarification, Title: question, Choices: choices, Default: leaveOpen, FreeText: work.OwnAnswer})
	switch {
	case err != nil:
		return "", false, work.NoAnswer(ctx, err)
	case answer.Text == "" && answer.Choice == leaveOpen:
		return "the user leaves it to you: choose what is more careful, and say what you assumed", false, o
	}
	return work.Shorten("the user says: "+work.Wording(answer, choices), work.MaxDigest), false, o
}

// leaveOpen is the choice of a user who does not decide the model's question.
const leaveOpen = "open"

// RunCommand runs a command of the plan on the tree of the attempt, if a model could run it. What it changes is dropped. A failed result
// has the reason why the command did not run. key names the step.
func (p *Phase) RunCommand(ctx context.Context, key string, argv []string) (step.ToolResult, step.Outcome) {
	a := action{Tool: tool.Command, Args: tool.Args{Argv: argv}}
	said, o, err := p.call(ctx, key, a, step.ToolCall{State: p.Now.Tree, Tool: a.Tool, Args: a.arguments(), Timeout: a.tool().Timeout, Agent: permission.Build})
	var failed *flow.Failure
	switch {
	case o.Signal != step.Success:
		return said, o
	case ctx.Err() != nil:
		return said, step.Outcome{Signal: step.Terminal, Reason: "cancelled"}
	case errors.As(err, &failed):
		return step.ToolResult{Failed: true, Text: failed.Error()}, o
	case err != nil:
		return said, step.Outcome{Signal: step.NeedsHuman, Reason: err.Error()}
	}
	p.used(a, said)
	return said, o
}
