package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/graph"
	"forge/engine/prompt"
	"forge/engine/step"
	"forge/engine/tool"
)

// explorer looks at what must be read before an attempt. What it has seen is kept in known.
type explorer struct {
	run      *run
	job      *job
	begin    *beginning
	budget   *budget
	known    *known
	history  *history
	prompter *prompter
}

const exploreInstructions = `You find out what somebody must read before they change a code base. You do not write code. You are shown the
task and a part of the folder; whoever writes the change is shown the same, and what you ask for. Ask for what is
missing: definitions that will be called or changed, their callers, tests beside them, conventions to follow. Do
not ask for what is shown already. Answer with one JSON object:
- "requests": at most eight, each with "provider", "args" (those that the provider takes; leave the others out)
  and "why" in a few words. An empty list when nothing is missing: then the work begins.
The providers:
`

// DefaultRounds is how often it is asked, before the first attempt, what else must be read.
const DefaultRounds = 2

// roleExplorer asks in nodeExplore: its model is not that of whoever else asks there.
const roleExplorer = "explorer"

// What bounds exploration beside its rounds.
const (
	maxRequests  = 8        // of one answer
	maxExplored  = 64 << 10 // bytes of all answers together
	exploreReply = 1024     // tokens
	maxTold      = 200      // bytes of the arguments of a provider, for people
)

// exploration is the explorer's answer.
type exploration struct {
	Requests []wanted `json:"requests" jsonschema:"empty when nothing is missing"`
}

// wanted is one thing that should be looked at.
type wanted struct {
	Provider string        `json:"provider"`
	Args     tool.LookArgs `json:"args"`
	Why      string        `json:"why" jsonschema:"a few words"`
}

func (e exploration) check() error {
	if len(e.Requests) > maxRequests {
		return fmt.Errorf("%d requests are too many: ask for the %d that matter most", len(e.Requests), maxRequests)
	}
	return nil
}

// explore finds out what must be read before an attempt: before the first one by asking a model, before others from what went
// wrong. What nobody could find out is no reason not to try.
func (m *module) explore(ctx context.Context, n graph.Node) graph.Outcome {
	m.known.advice = nil
	m.enter()
	switch {
	case n.Attempt > 1:
		return m.prepare(ctx, n)
	case m.job.joins:
		return graph.Outcome{Status: graph.Done}
	}
	shown, err := m.prompter.shown(ctx, n, "context", m.begin.start)
	if err != nil {
		return failed("look at the folder", err)
	}
	if shown.Whole || shown.Found { // who writes may ask for more, and pays for that alone
		return graph.Outcome{Status: graph.Done}
	}
	sections, err := m.prompter.sectionsOf(ctx, n, m.begin.start, shown)
	if err != nil {
		return failed("look at the folder", err)
	}
	return m.explorer.rounds(ctx, n, sections)
}

// rounds asks what is missing until nothing is, or there are no rounds left.
func (e *explorer) rounds(ctx context.Context, n graph.Node, shown []prompt.Section) graph.Outcome {
	for round := 1; round <= e.run.Rounds; round++ {
		if o := e.budget.count(); o.Signal != step.Success {
			return outcome(o, graph.Normal)
		}
		asked, o := step.Do(ctx, e.run.Env.Env, step.Step[exploration]{
			Place: e.job.as(roleExplorer, n), Name: "exploration", Key: fmt.Sprintf("round %d", round),
			MaxTokens: exploreReply, Check: exploration.check, Document: e.missing(shown, round),
		})
		switch {
		case o.Signal == step.Retryable: // nobody could read it: whoever writes must do with what there is
			return graph.Outcome{Status: graph.Done}
		case o.Signal != step.Success:
			return outcome(o, graph.Normal)
		}
		more, err := e.look(ctx, n, fmt.Sprintf("round %d", round), asked.Requests)
		if err != nil {
			return graph.Outcome{Status: graph.Blocked, Reason: err.Error()}
		}
		if !more {
			return graph.Outcome{Status: graph.Done}
		}
	}
	return graph.Outcome{Status: graph.Done}
}

// missing is the document of a round.
func (e *explorer) missing(shown []prompt.Section, round int) prompt.Document {
	sections := slices.Concat(shown, e.known.findings(), e.run.specification())
	sections = append(sections, prompt.Section{Kind: prompt.Errors, Name: "Rounds", Text: fmt.Sprintf("This is round %d of at most %d.", round, e.run.Rounds)})
	return e.prompter.compose(roleExplorer, exploreInstructions+tool.Providers().Describe(), sections...)
}

// look asks providers, those that were not asked the same before. It reports whether anything new was seen, and whether there is
// room for more. name is of the steps.
func (e *explorer) look(ctx context.Context, n graph.Node, name string, requests []wanted) (more bool, err error) {
	for i, w := range requests {
		args, err := json.Marshal(w.Args)
		if err != nil {
			return false, fmt.Errorf("write down what is asked of %s: %w", w.Provider, err)
		}
		l := looked{key: tool.Key(w.Provider, args), question: w.Provider + " " + string(args)}
		if e.known.knows(l.key) {
			continue
		}
		if l.said, err = e.provide(ctx, n, fmt.Sprintf("look/%s/%d", name, i+1), w.Provider, args); err != nil {
			return false, err
		}
		e.known.add(l)
		more = true
		if w.Provider == "read_file" && w.Args.Start <= 1 && w.Args.End == 0 && !l.said.Failed && !l.said.Cut {
			e.known.show(w.Args.Path)
		}
		if e.known.exploredBytes() >= maxExplored {
			return false, nil
		}
	}
	return more, nil
}

// provide asks one provider of the folder as the person has it. What cannot be provided is an answer, too; the error is for what
// could not be done or kept. name is the step's.
func (e *explorer) provide(ctx context.Context, n graph.Node, name, provider string, args json.RawMessage) (step.ToolResult, error) {
	t, known := tool.Providers().Named(provider)
	if !known {
		return step.ToolResult(tool.Providers().Unknown(provider)), nil
	}
	said, err := step.Call[step.ToolResult](ctx, e.run.Flow, at(n), name, step.ActivityTool,
		step.ToolCall{State: e.begin.start, Tool: provider, Args: args, Timeout: t.Timeout})
	var broken *flow.Failure
	switch {
	case err == nil:
	case errors.As(err, &broken) && ctx.Err() == nil:
		said = step.ToolResult{Text: "this cannot be told now: " + broken.Message, Failed: true}
	default:
		return said, fmt.Errorf("ask %s: %w", provider, err)
	}
	e.run.Tell(event.ToolUsed{
		Node: n.ID, Attempt: n.Attempt, Tool: provider, Args: strings.ToValidUTF8(string(args[:min(len(args), maxTold)]), ""), Failed: said.Failed, Cut: said.Cut, Bytes: len(said.Text),
	})
	return said, nil
}

// prepare gets ready for another attempt: what went wrong says what must be read, and what is to be done differently.
func (m *module) prepare(ctx context.Context, n graph.Node) graph.Outcome {
	if m.history.judgedBy(n.Attempt) > 0 {
		return graph.Outcome{Status: graph.Done}
	}
	m.history.decided = false
	found, o := m.diagnosis.diagnose(ctx, n)
	if o.Status != graph.Done {
		return o
	}
	m.known.advice = found.advice
	var requests []wanted
	for _, path := range found.read {
		requests = append(requests, m.explorer.readAround(path)...)
	}
	if _, err := m.explorer.look(ctx, n, "read", requests); err != nil {
		return graph.Outcome{Status: graph.Blocked, Reason: err.Error()}
	}
	return graph.Outcome{Status: graph.Done}
}
