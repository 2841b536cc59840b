package dialogue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/engine/agent"
	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/graph"
	"forge/engine/permission"
	"forge/engine/pipeline/work"
	"forge/engine/step"
	"forge/engine/tool"
)

// Looker calls the tools of an agent on a tree. What they change in it is dropped.
type Looker struct {
	*work.Module
	Agent    agent.Agent
	Tree     step.State
	Findings *work.Findings
	Charged  bool // the calls count as tool calls of the module
	failing  []failing
}

// failing is a call that ran programs which did not succeed: it may have reproduced a failure.
type failing struct {
	number int // of its result
	title  string
}

// Request is one call that a model asks for.
type Request struct {
	Tool string
	Args json.RawMessage
}

// Trial is a model's request to a tool that may run programs.
type Trial struct {
	Provider string       `json:"provider"`
	Args     tool.RunArgs `json:"args"`
	Why      string       `json:"why" jsonschema:"a few words"`
}

// RequestsOf converts the requests of a model.
func RequestsOf(trials []Trial) []Request {
	requests := make([]Request, len(trials))
	for i, t := range trials {
		args, _ := json.Marshal(t.Args) // strings, numbers and lists of them
		requests[i] = Request{Tool: t.Provider, Args: args}
	}
	return requests
}

// The limits of requests.
const (
	MaxRequests = 8        // of one answer
	MaxExplored = 64 << 10 // bytes of all answers together
	maxTold     = 200      // bytes of the arguments of a provider, for the user
)

// CheckRequests rejects too many requests.
func CheckRequests(n int) error {
	if n > MaxRequests {
		return fmt.Errorf("%d requests are too many: ask for the %d that matter most", n, MaxRequests)
	}
	return nil
}

// Look calls tools, except for repeated requests. It reports whether anything new was found, and there is room for more. name is that of
// the steps. The work may continue only with Success.
func (l *Looker) Look(ctx context.Context, n graph.Node, name string, requests []Request) (more bool, o step.Outcome) {
	for i, r := range requests {
		found := work.Looked{Key: tool.Key(r.Tool, r.Args), Question: r.Tool + " " + string(r.Args)}
		if l.Findings.Knows(found.Key) {
			continue
		}
		if found.Said, o = l.call(ctx, n, fmt.Sprintf("look/%s/%d", name, i+1), r); o.Signal != step.Success {
			return false, o
		}
		found.File, found.Lines = actionOf(r.Tool, r.Args).read(found.Said.Text)
		if found.Lines.First == 1 && found.Lines.Last == found.Lines.Of {
			l.Findings.AddShown(found.File)
		}
		l.Findings.Add(found)
		more = true
		if l.Findings.Bytes() >= MaxExplored {
			return false, o
		}
	}
	return more, o
}

// call calls one tool. A tool's own failure, a refusal, and a tool that the agent does not have are results. name is the step's.
func (l *Looker) call(ctx context.Context, n graph.Node, name string, r Request) (said step.ToolResult, o step.Outcome) {
	if l.Charged {
		if l.Budget.Calls >= l.Budget.Tools {
			return step.ToolResult{Text: fmt.Sprintf("all %d calls of tools that a run has are used up: finish with what you have", l.Budget.Tools), Failed: true}, o
		}
		l.Budget.Calls++
	}
	t, has := l.Agent.Set().Named(r.Tool)
	if !has {
		return step.ToolResult{Text: l.Agent.Set().Unknown(r.Tool).Text, Failed: true}, o
	}
	call := step.ToolCall{State: l.Tree, Tool: r.Tool, Args: r.Args, Timeout: t.Timeout, Agent: l.Agent.Acts}
	var err error
	if t.Name == tool.Command {
		said, o, err = callFor(ctx, l.Module, n, name, call)
	} else {
		said, err = step.ActivityTool.Call(ctx, l.Run.Flow, work.At(n), name, call)
	}
	var broken *flow.Failure
	switch {
	case o.Signal == step.NeedsHuman && ctx.Err() == nil: // the question was not answered, and the run does not depend on this call
		return step.ToolResult{Text: "the user did not answer whether it may be run: continue without it", Failed: true}, step.Outcome{}
	case o.Signal != step.Success:
		return said, o
	case err == nil:
	case errors.As(err, &broken) && ctx.Err() == nil:
		said = step.ToolResult{Text: "this is not available now: " + broken.Message, Failed: true}
	default:
		return said, work.Unable(ctx, fmt.Errorf("ask %s: %w", r.Tool, err))
	}
	l.note(n, t, r, said)
	return said, o
}

// note reports a call, before its result is among the findings.
func (l *Looker) note(n graph.Node, t tool.Tool, r Request, said step.ToolResult) {
	used := event.ToolUsed{
		Node: n.ID, Attempt: n.Attempt, Tool: r.Tool, Args: strings.ToValidUTF8(string(r.Args[:min(len(r.Args), maxTold)]), ""),
		Failed: said.Failed, Cut: said.Cut, Bytes: len(said.Text),
	}
	if said.Refused != nil && said.Refused.Verdict == permission.Deny {
		used.Refused, used.Reason = said.Refused.Code, said.Refused.Reason
	}
	l.Run.Emit(used)
	if t.Effect == permission.Exec && said.Refused == nil && said.Unsuccessful {
		l.failing = append(l.failing, failing{l.Findings.Count() + 1, titleOf(r)})
	}
}

// titleOf describes a request for users and models, in one line: "run_command go test ./...".
func titleOf(r Request) string {
	var args tool.RunArgs
	_ = json.Unmarshal(r.Args, &args) // the tool has reported what is wrong with them
	words := append([]string{r.Tool}, args.Argv...)
	return work.Shorten(strings.Join(append(words, args.Paths...), " "), maxTold)
}

// Failing returns the call whose result has a number, if it ran programs that did not succeed; empty otherwise.
func (l *Looker) Failing(number int) string {
	at := slices.IndexFunc(l.failing, func(f failing) bool { return f.number == number })
	if at < 0 {
		return ""
	}
	return l.failing[at].title
}
