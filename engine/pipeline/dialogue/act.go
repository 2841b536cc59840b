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
	"forge/engine/mode"
	"forge/engine/pipeline/work"
	"forge/engine/step"
	"forge/engine/tool"
)

// action is a tool to call.
type action struct {
	Tool string    `json:"tool"`
	Args tool.Args `json:"args"`
}

// title describes an action for the user and models, in one line.
func (a action) title() string {
	args := a.Args
	what := cmp.Or(args.Symbol, args.Find, args.Path, args.Pattern, args.Query, args.Question, args.URL, strings.Join(args.Argv, " "), strings.Join(args.Paths, " "))
	what, _, _ = strings.Cut(what, "\n")
	return strings.TrimSpace(a.Tool + " " + work.Shorten(what, 100))
}

// arguments returns the arguments as JSON.
func (a action) arguments() json.RawMessage {
	text, _ := json.Marshal(a.Args) // strings, numbers and lists of them
	return text
}

// allowance is which tools may be called.
type allowance int

const (
	looking allowance = iota // tools that only read
	working                  // all tools
)

// act calls a tool on the tree of the attempt. Its result is never an error: an unknown or forbidden tool, and a forbidden
// change, are reported to the model. Its changes are in the tree afterwards.
func (p *Phase) act(ctx context.Context, key string, a action, may allowance) (result string, changed bool, o step.Outcome) {
	t, known := tool.All().Named(a.Tool)
	switch {
	case !known:
		return tool.Tools().Unknown(a.Tool).Text, false, o
	case may == looking && (t.Effect > tool.Read || t.Person):
		return fmt.Sprintf("%s may not be used here: only what looks at the folder may", t.Name), false, o
	case t.Person:
		return p.askPerson(ctx, a)
	}
	if refusal := p.refuse(a, t); refusal != "" {
		return refusal, false, o
	}
	if refusal, o := p.permit(ctx, a, t); refusal != "" || o.Signal != step.Success {
		return refusal, false, o
	}
	said, err := step.ActivityTool.Call(ctx, p.Run.Flow, work.At(p.Node), "tool/"+p.Name+"/"+key, step.ToolCall{State: p.Now.Tree, Tool: t.Name, Args: a.arguments(), Timeout: t.Timeout})
	var failed *flow.Failure
	switch {
	case ctx.Err() != nil:
		return "", false, step.Outcome{Signal: step.Terminal, Reason: "cancelled"}
	case errors.As(err, &failed):
		return work.Shorten("failed: "+failed.Error(), work.MaxDigest), false, o
	case err != nil:
		return "", false, step.Outcome{Signal: step.NeedsHuman, Reason: err.Error()}
	}
	p.Now.Work.Used(t.Name, said.Failed)
	p.Run.Emit(event.ToolUsed{
		Node: p.Node.ID, Attempt: p.Node.Attempt, Tool: t.Name, Args: work.Shorten(string(a.arguments()), 200),
		Failed: said.Failed, Cut: said.Cut, Bytes: len(said.Text),
	})
	p.sawBy(a, said)
	return p.take(a, said)
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

// refuse returns why a tool is not called, regardless of the user's answer: the settings forbid it, or it reached the limit of
// calls that leave the machine.
func (p *Phase) refuse(a action, t tool.Tool) string {
	if refusal := p.Run.Grants.Refuses(t, a.arguments()); refusal != "" || t.Effect != tool.Network {
		return refusal
	}
	if most := max(1, maxAbroad/(1+len(p.Run.Parts))); p.Budget.Network >= most { // parts share the run's limit
		return fmt.Sprintf("nothing more is read from the web in this run: it was asked %d times. Finish with what you have", most)
	}
	p.Budget.Network++
	return ""
}

// permit asks the user about a tool with a higher risk than the mode allows. Tools that only change the scratch tree need no
// question: the user sees the change before it is applied. Without the user the answer is no.
func (p *Phase) permit(ctx context.Context, a action, t tool.Tool) (refusal string, o step.Outcome) {
	risk := mode.Risk(t.Risk)
	switch {
	case t.Mutates() || p.Run.Task.Mode.Automatic(risk) || p.Run.Task.AllowShell && t.Name == tool.Command:
		return "", o
	case risk >= mode.Critical:
		return fmt.Sprintf("%s is never used", t.Name), o
	}
	answer, err := p.Questions.Ask(ctx, p.Node, event.Question{
		Kind: event.AskPermission, Title: fmt.Sprintf("Let the model use %s?", a.title()),
		Detail:  fmt.Sprintf("Its risk is %s, and the mode %s uses by itself only what has the risk %s.\n\n    %s", risk, p.Run.Task.Mode.Name, p.Run.Task.Mode.MaxAutoRisk, a.arguments()),
		Choices: []event.Choice{{ID: "deny", Title: "No"}, {ID: "allow", Title: "Yes, this once"}}, Default: "deny",
	})
	if err != nil {
		return "", work.NoAnswer(ctx, err)
	}
	if answer.Choice != "allow" {
		return fmt.Sprintf("the person does not allow %s: go on without", t.Name), o
	}
	return "", o
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
		return "the person leaves it to you: choose what is more careful, and say what you assumed", false, o
	}
	return work.Shorten("the person says: "+work.Wording(answer, choices), work.MaxDigest), false, o
}

// leaveOpen is the choice of a user who does not decide the model's question.
const leaveOpen = "open"
