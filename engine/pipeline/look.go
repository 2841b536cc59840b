package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"forge/engine/agent"
	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/graph"
	"forge/engine/permission"
	"forge/engine/pipeline/dialogue"
	"forge/engine/pipeline/work"
	"forge/engine/step"
	"forge/engine/tool"
)

// looker calls the tools of an agent on a tree. What they change in it is dropped.
type looker struct {
	*work.Module
	agent    agent.Agent
	tree     step.State
	findings *work.Findings
	charged  bool // the calls count as tool calls of the module
	failing  []failing
}

// failing is a call that ran programs which did not succeed: it may have reproduced a failure.
type failing struct {
	number int // of its result
	title  string
}

// request is one call that a model asks for.
type request struct {
	tool  string
	args  json.RawMessage
	whole string // the file, if all of it is asked for
}

// trial is a request to a tool that may run programs, as a model gives it.
type trial struct {
	Provider string       `json:"provider"`
	Args     tool.RunArgs `json:"args"`
	Why      string       `json:"why" jsonschema:"a few words"`
}

// requestsOf converts the requests of a model.
func requestsOf(trials []trial) []request {
	requests := make([]request, len(trials))
	for i, t := range trials {
		args, _ := json.Marshal(t.Args) // strings, numbers and lists of them
		requests[i] = request{tool: t.Provider, args: args}
	}
	return requests
}

// checkRequests rejects too many requests.
func checkRequests(n int) error {
	if n > maxRequests {
		return fmt.Errorf("%d requests are too many: ask for the %d that matter most", n, maxRequests)
	}
	return nil
}

// look calls tools, except for repeated requests. It reports whether anything new was found, and there is room for more. name is that of
// the steps. Success is the only outcome with which the work may go on.
func (l *looker) look(ctx context.Context, n graph.Node, name string, requests []request) (more bool, o step.Outcome) {
	for i, r := range requests {
		found := work.Looked{Key: tool.Key(r.tool, r.args), Question: r.tool + " " + string(r.args)}
		if l.findings.Knows(found.Key) {
			continue
		}
		if found.Said, o = l.call(ctx, n, fmt.Sprintf("look/%s/%d", name, i+1), r); o.Signal != step.Success {
			return false, o
		}
		l.findings.Add(found)
		more = true
		if r.tool == "read_file" && r.whole != "" && !found.Said.Failed && !found.Said.Cut {
			l.findings.AddSeen(r.whole)
		}
		if l.findings.Bytes() >= maxExplored {
			return false, o
		}
	}
	return more, o
}

// call calls one tool. A tool's own failure, a refusal, and a tool that the agent does not have are results. name is the step's.
func (l *looker) call(ctx context.Context, n graph.Node, name string, r request) (said step.ToolResult, o step.Outcome) {
	if l.charged {
		if l.Budget.Calls >= l.Budget.Tools {
			return step.ToolResult{Text: fmt.Sprintf("all %d calls of tools that a run has are used up: finish with what you have", l.Budget.Tools), Failed: true}, o
		}
		l.Budget.Calls++
	}
	t, has := l.agent.Set().Named(r.tool)
	if !has {
		return step.ToolResult{Text: l.agent.Set().Unknown(r.tool).Text, Failed: true}, o
	}
	call := step.ToolCall{State: l.tree, Tool: r.tool, Args: r.args, Timeout: t.Timeout, Agent: l.agent.Acts}
	var err error
	if t.Name == tool.Command {
		said, o, err = dialogue.Call(ctx, l.Module, n, name, call)
	} else {
		said, err = step.ActivityTool.Call(ctx, l.Run.Flow, work.At(n), name, call)
	}
	var broken *flow.Failure
	switch {
	case o.Signal == step.NeedsHuman && ctx.Err() == nil: // the question was not answered, and the run does not depend on this call
		return step.ToolResult{Text: "the user did not answer whether it may be run: go on without it", Failed: true}, step.Outcome{}
	case o.Signal != step.Success:
		return said, o
	case err == nil:
	case errors.As(err, &broken) && ctx.Err() == nil:
		said = step.ToolResult{Text: "this is not available now: " + broken.Message, Failed: true}
	default:
		return said, work.Unable(ctx, fmt.Errorf("ask %s: %w", r.tool, err))
	}
	l.note(n, t, r, said)
	return said, o
}

// note reports a call, before its result is among the findings.
func (l *looker) note(n graph.Node, t tool.Tool, r request, said step.ToolResult) {
	used := event.ToolUsed{
		Node: n.ID, Attempt: n.Attempt, Tool: r.tool, Args: strings.ToValidUTF8(string(r.args[:min(len(r.args), maxTold)]), ""),
		Failed: said.Failed, Cut: said.Cut, Bytes: len(said.Text),
	}
	if said.Refused != nil && said.Refused.Verdict == permission.Deny {
		used.Refused, used.Reason = said.Refused.Code, said.Refused.Reason
	}
	l.Run.Emit(used)
	if t.Effect == permission.Exec && said.Refused == nil && said.Unsuccessful {
		l.failing = append(l.failing, failing{l.findings.Count() + 1, titleOf(r)})
	}
}

// titleOf describes a request for users and models, in one line: "run_command go test ./...".
func titleOf(r request) string {
	var args tool.RunArgs
	_ = json.Unmarshal(r.args, &args) // what is wrong with them, the tool has said
	words := append([]string{r.tool}, args.Argv...)
	return work.Shorten(strings.Join(append(words, args.Paths...), " "), maxTold)
}
