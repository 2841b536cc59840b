package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/engine/agent"
	"forge/engine/event"
	"forge/engine/graph"
	"forge/engine/pipeline/dialogue"
	"forge/engine/pipeline/work"
	"forge/engine/prompt"
	"forge/engine/step"
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

// subagentAnswer is an agent's answer in a round.
type subagentAnswer struct {
	Action   string           `json:"action" jsonschema:"look, done or error"`
	Requests []dialogue.Trial `json:"requests" jsonschema:"with look: what to see"`
	Result   string           `json:"result" jsonschema:"with done or error: what you found out, or why not"`
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
	return dialogue.CheckRequests(len(e.Requests))
}

// delegate adds a node to the graph in which an agent investigates; then the orchestrator decides again. Nodes that wait for the
// orchestrator wait for it, too.
func (or *orchestrator) delegate(d decision) graph.Outcome {
	chosen, err := or.run.Agent(d.Agent)
	if err != nil { // it was checked
		return graph.Outcome{Status: graph.Blocked, Reason: err.Error()}
	}
	or.run.Delegated = append(or.run.Delegated, work.Delegation{Agent: chosen, Task: d.Task})
	id := fmt.Sprintf("delegate-%d/%s", len(or.run.Delegated), work.KindSubagent)
	grown := graph.Growth{
		Nodes: []graph.Node{{ID: id, Kind: work.KindSubagent}},
		Edges: []graph.Edge{
			{From: work.NodeOrchestrator, To: id, Type: graph.Normal},
			{From: id, To: work.NodeSpec, Type: graph.Normal}, {From: id, To: work.NodeBaseline, Type: graph.Normal},
			{From: id, To: work.NodeOrchestrator, Type: graph.ReviewPass},
		},
	}
	o := or.run.Grow(grown)
	o.Reason = d.Reason
	return o
}

// runSubagent is the work of an agent: in each round it sees what it asks for, until it knows the answer. Its answer, or its
// failure, is data for the orchestrator, which decides again.
func (or *orchestrator) runSubagent(ctx context.Context, n graph.Node) graph.Outcome {
	files, err := or.prompter.Context(ctx, n, "context", or.run.Folder())
	if err != nil {
		return work.Failed("look at the folder", err)
	}
	mine := &or.run.Delegated[len(or.run.Delegated)-1]
	errand := work.NewErrand(or.run, work.At(n), or.run.Retried(n), mine.Agent.Name, mine.Task)
	if err := errand.Begin(ctx, files, or.run.Rounds+1, subagentReply); err != nil {
		return work.BlockedBy("begin the errand", err)
	}
	o := or.research(ctx, n, errand, mine, files)
	if o.Lane != graph.ReviewPass {
		return o
	}
	if err := errand.End(ctx, mine.Result, mine.Failed); err != nil {
		return work.BlockedBy("end the errand", err)
	}
	return o
}

// research goes through the rounds of an errand. The lane ReviewPass means that it has ended.
func (or *orchestrator) research(ctx context.Context, n graph.Node, errand *work.Errand, mine *work.Delegation, files []prompt.Section) graph.Outcome {
	scout := work.NewModule(&work.Job{Run: or.run, ID: strings.TrimSuffix(n.ID, "/"+work.KindSubagent)}, 0, 0)
	looks := &dialogue.Looker{Module: scout, Agent: mine.Agent, Tree: or.run.Folder(), Findings: scout.Findings}
	for round := 1; ; round++ {
		said, o := work.Decide(ctx, or.budget, n, step.Step[subagentAnswer]{
			Name: "errand", Emit: errand.Emit, Key: fmt.Sprintf("round %d", round), MaxTokens: subagentReply, Check: subagentAnswer.check, Tier: mine.Agent.Roles[len(mine.Agent.Roles)-1].Tier,
			Document: or.prompter.Compose(n.ID, or.instructionsFor(mine.Agent), errandSections(mine, files, scout.Findings, round, or.run.Rounds)...),
		})
		switch {
		case o.Signal == step.Retryable: // unreadable: that is the result
			mine.Result, mine.Failed = o.Reason, true
		case o.Signal != step.Success:
			return work.Outcome(o, graph.Normal)
		case said.Action == "look" && round <= or.run.Rounds:
			if _, o := looks.Look(ctx, n, fmt.Sprintf("round %d", round), dialogue.RequestsOf(said.Requests)); o.Signal != step.Success {
				return work.Outcome(o, graph.Normal)
			}
			continue
		case said.Action == "look":
			mine.Result, mine.Failed = fmt.Sprintf("it was not found out in %s", event.Count(or.run.Rounds, "round")), true
		default:
			mine.Result, mine.Failed = work.Shorten(said.Result, maxReported), said.Action == "error"
		}
		ending := graph.Outcome{Status: graph.Done, Reason: work.Shorten(mine.Result, 200), Lane: graph.ReviewPass}
		if mine.Failed {
			ending.Status = graph.Failed
		}
		return ending
	}
}

// instructionsFor returns the instructions of an errand, with the tools of the agent.
func (or *orchestrator) instructionsFor(a agent.Agent) string {
	return subagentInstructions + a.Set().With(or.run.Grants).Describe()
}

// agentNote is the note before the text of an agent that a user has added. Like all text of a folder it is data.
const agentNote = "How this agent works. Follow it in how you research and report. It changes neither the form of your answer nor the providers that you have."

// errandSections returns the sections of a round.
func errandSections(mine *work.Delegation, files []prompt.Section, found *work.Findings, round, of int) []prompt.Section {
	sections := slices.Concat(files, found.Sections())
	if mine.Agent.Source != "" {
		sections = append(sections, prompt.Section{
			Kind: prompt.Guides, Name: "Agent: " + mine.Agent.Name, Note: agentNote, Text: mine.Agent.Line() + "\n\n" + mine.Agent.Instructions, Source: mine.Agent.Source, Data: true, Cut: 1,
		})
	}
	return append(sections, prompt.Section{Kind: prompt.Errors, Name: "Question", Text: mine.Task, Data: true},
		prompt.Section{Kind: prompt.Errors, Name: "Rounds", Text: fmt.Sprintf("This is round %d of at most %d.", round, of)})
}
