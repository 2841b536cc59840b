package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/engine/graph"
	"forge/engine/pipeline/work"
	"forge/engine/prompt"
	"forge/engine/step"
	"forge/engine/tool"
)

const subagentInstructions = `You research a question about a code base for a colleague who decides how to carry out a change. You do not write code
and you change nothing. Report facts and where they are (paths and names), and what you could not find out; report nothing
that you did not see. Answer with one JSON object:
- "action": "look" to read more first, "done" when you have the answer, "error" if it cannot be found.
- "requests": with "look", at most eight, each with "provider", "args" and "why" (a few words); otherwise empty.
- "result": with "done" your findings, at most one page; with "error" the reason; otherwise empty.
The providers:
`

// The limits of delegation in one run.
const (
	maxDelegations = 3
	subagentReply  = 4096 // tokens
	maxReported    = 8000 // bytes of a result
)

// subagentAnswer is a subagent's answer in a round.
type subagentAnswer struct {
	Action   string   `json:"action" jsonschema:"look, done or error"`
	Requests []wanted `json:"requests" jsonschema:"with look: what to see"`
	Result   string   `json:"result" jsonschema:"with done or error: what you found out, or why not"`
}

func (e subagentAnswer) check() error {
	if err := work.OneOf("action", e.Action, "look", "done", "error"); err != nil {
		return err
	}
	switch {
	case e.Action != "look" && strings.TrimSpace(e.Result) == "":
		return errors.New(`"result" must not be empty`)
	case e.Action == "look" && len(e.Requests) == 0:
		return errors.New(`"look" needs "requests"`)
	}
	return exploration{Requests: e.Requests}.check()
}

// delegate adds a node to the graph that investigates; then the orchestrator decides again. Nodes that wait for the orchestrator
// wait for it, too.
func (or *orchestrator) delegate(task, reason string) graph.Outcome {
	or.run.Delegated = append(or.run.Delegated, work.Delegation{Task: task})
	id := fmt.Sprintf("delegate-%d/%s", len(or.run.Delegated), work.KindSubagent)
	grown := graph.Growth{
		Nodes: []graph.Node{{ID: id, Kind: work.KindSubagent}},
		Edges: []graph.Edge{
			{From: work.NodeOrchestrator, To: id, Type: graph.Normal},
			{From: id, To: work.NodeSpec, Type: graph.Normal}, {From: id, To: work.NodeBaseline, Type: graph.Normal},
			{From: id, To: work.NodeOrchestrator, Type: graph.ReviewPass},
		},
	}
	o := or.run.grow(grown)
	o.Reason = reason
	return o
}

// runSubagent is the work of a subagent: in each round it sees what it asks for, until it knows the answer. Its answer, or
// its failure, is data for the orchestrator.
func (or *orchestrator) runSubagent(ctx context.Context, n graph.Node) graph.Outcome {
	files, err := or.prompter.Context(ctx, n, "context", or.run.Folder())
	if err != nil {
		return work.Failed("look at the folder", err)
	}
	mine := &or.run.Delegated[len(or.run.Delegated)-1]
	scout := newModule(or.run.gates, &work.Job{Run: or.run.Run, ID: strings.TrimSuffix(n.ID, "/"+work.KindSubagent)}, 0, 0)
	scout.Start.Tree = or.run.Folder()
	for round := 1; ; round++ {
		said, o := work.Decide(ctx, or.budget, n, step.Step[subagentAnswer]{
			Name: "errand", Key: fmt.Sprintf("round %d", round), MaxTokens: subagentReply, Check: subagentAnswer.check,
			Document: scout.explorer.subagentDocument(n, files, mine.Task, round, or.run.Rounds),
		})
		switch {
		case o.Signal == step.Retryable: // unreadable: that is the result
			mine.Result, mine.Failed = o.Reason, true
		case o.Signal != step.Success:
			return work.Outcome(o, graph.Normal)
		case said.Action == "look" && round <= or.run.Rounds:
			if _, err := scout.explorer.look(ctx, n, fmt.Sprintf("round %d", round), said.Requests); err != nil {
				return graph.Outcome{Status: graph.Blocked, Reason: err.Error()}
			}
			continue
		case said.Action == "look":
			mine.Result, mine.Failed = fmt.Sprintf("it was not found out in %d rounds", or.run.Rounds), true
		default:
			mine.Result, mine.Failed = work.Shorten(said.Result, maxReported), said.Action == "error"
		}
		return graph.Outcome{Status: graph.Done, Reason: work.Shorten(mine.Result, 200), Lane: graph.ReviewPass}
	}
}

// subagentDocument returns the document of a round.
func (e *explorer) subagentDocument(n graph.Node, files []prompt.Section, task string, round, of int) prompt.Document {
	sections := slices.Concat(files, e.Findings.Sections())
	sections = append(sections, prompt.Section{Kind: prompt.Errors, Name: "Question", Text: task, Data: true},
		prompt.Section{Kind: prompt.Errors, Name: "Rounds", Text: fmt.Sprintf("This is round %d of at most %d.", round, of)})
	return e.prompter.Compose(n.ID, subagentInstructions+tool.Providers().Describe(), sections...)
}
