package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"forge/engine/agent"
	"forge/engine/event"
	"forge/engine/graph"
	"forge/engine/mode"
	"forge/engine/pipeline/dialogue"
	"forge/engine/pipeline/judge"
	"forge/engine/pipeline/work"
	"forge/engine/prompt"
	"forge/engine/step"
)

// orchestrator decides how a request is carried out, before anything is planned or written.
type orchestrator struct {
	run       *work.Run
	gates     *judge.Gates
	budget    *work.Budget
	questions *work.Questions
	prompter  *dialogue.Prompter
}

const orchestratorInstructions = `You decide how a request to change a code base is carried out. You do not write code.
Answer with one JSON object:
- "action": "executor" if the request is small and says what must happen, also where that changes behaviour,
  "generate_spec" if it leaves open how something must behave, so that a short specification has to settle it first,
  "done" if nothing needs to change, "delegate" if you need to know something about the code before you can
  decide: you are asked again, with the answer.
- "task": with "delegate", the question about the code, in one or two sentences; otherwise empty.
- "kind": "bugfix", "feature", "refactor" (behaviour stays), "optimisation", "setup" (settings, dependencies, CI), "test" (only tests
  change), "documentation" (only documents and comments change), "analysis" or "conversation".
- "reason": one sentence for the user.`

// decision is the orchestrator's answer.
type decision struct {
	Action string `json:"action" jsonschema:"generate_spec, executor, done or delegate"`
	Task   string `json:"task,omitempty" jsonschema:"with delegate: what has to be found out"`
	Agent  string `json:"agent,omitempty" jsonschema:"with delegate: the agent that finds it out; empty is the explorer"`
	Reason string `json:"reason" jsonschema:"one sentence"`
	// Kind is used if the rules are not sure. It costs no additional call.
	Kind string `json:"kind,omitempty" jsonschema:"the kind of work"`
}

// checkDecision rejects an invalid decision.
func (or *orchestrator) checkDecision(d decision) error {
	already := len(or.run.Delegated)
	if err := work.OneOf("action", d.Action, "generate_spec", "executor", "done", "delegate"); err != nil {
		return err
	}
	switch {
	case d.Action != "delegate":
		return nil
	case already >= maxDelegations:
		return fmt.Errorf("%d questions were answered for you, and no more will be: decide with what you know", already)
	case strings.TrimSpace(d.Task) == "":
		return errors.New(`"delegate" needs a "task": what has to be found out`)
	}
	_, err := or.run.Agent(d.Agent)
	return err
}

// agentsNote is the note before the list of agents.
const agentsNote = `With "delegate", "agent" may name the one of these whose description fits the question.`

// agents lists the agents of the user and the folder for the orchestrator; none without any.
func (or *orchestrator) agents() []prompt.Section {
	lines := []string{agent.Named(agent.Explorer).Line()}
	for _, a := range or.run.Brief.Agents {
		lines = append(lines, a.Line())
	}
	if len(lines) == 1 {
		return nil
	}
	return []prompt.Section{{Kind: prompt.Map, Name: "Agents", Note: agentsNote, Text: strings.Join(lines, "\n"), Data: true, Cut: 2}}
}

// orchestrate lets the model choose the way through the graph. Its choice skips nodes, or adds one that investigates; it cannot add
// one that writes.
func (or *orchestrator) orchestrate(ctx context.Context, n graph.Node) graph.Outcome {
	if len(or.run.Task.Direct) > 0 {
		return graph.Outcome{Status: graph.Done, Reason: "the request names the tools that do the work", Skip: []string{work.NodeSpec}}
	}
	if len(or.run.Delegated) == 0 {
		if o := or.preflight(ctx, n); o.Status != graph.Done {
			return o
		}
		or.gates.Announce()
	}
	files, err := or.prompter.Overview(ctx, n)
	if err != nil {
		return work.Failed("list the files", err)
	}
	choice, o := work.Decide(ctx, or.budget, n, step.Step[decision]{
		Name: "decision", Key: "decision", MaxTokens: 512,
		Check:    or.checkDecision,
		Document: or.prompter.Compose(n.ID, orchestratorInstructions, append(or.agents(), files)...),
	})
	if o.Signal != step.Success {
		return work.Outcome(o, graph.Normal)
	}
	asks := or.onlyAsks()
	or.classify(choice.Kind)
	switch choice.Action {
	case "delegate":
		return or.delegate(choice)
	case "executor":
		return graph.Outcome{Status: graph.Done, Reason: choice.Reason, Skip: []string{work.NodeSpec}}
	case "done":
		if !asks {
			return graph.Outcome{Status: graph.Blocked, Reason: fmt.Sprintf(
				"the model reports that no change is needed: %s. If that is wrong, describe what is missing, or choose another model", strings.TrimSuffix(work.Shorten(choice.Reason, 300), "."))}
		}
		or.run.Finish(choice.Reason)
		return graph.Outcome{Status: graph.Done, Reason: choice.Reason, Skip: or.rest()}
	}
	return graph.Outcome{Status: graph.Done, Reason: choice.Reason}
}

// rest returns the nodes of the graph after the orchestrator.
func (or *orchestrator) rest() []string {
	if or.run.Task.Plan.Wanted {
		return []string{work.NodeBaseline, work.NodeSpec, work.NodePlan}
	}
	return append([]string{work.NodeBaseline, work.NodeSpec}, work.OfModule...)
}

// onlyAsks reports whether the rules classify the request as a question, which may need no change. A model's classification does
// not count: a model that claims that nothing is to be done would also claim that nothing was wanted.
func (or *orchestrator) onlyAsks() bool {
	kind := or.run.Task.Class.Kind
	return or.run.Task.Class.Sure() && (kind == mode.KindAnalysis || kind == mode.KindConversation)
}

// classify uses the model's kind of work if the rules are not sure or the mode is heavy, and chooses the recipe by it if the user has left that open; an
// unknown kind is ignored.
func (or *orchestrator) classify(kind string) {
	by := or.run.Task.Class
	if by.Kind == "" {
		return
	}
	recipe := or.choose(by, mode.Kind(kind))
	c := by
	if !by.Sure() || or.run.Task.Mode.Name == mode.Heavy {
		c = by.Named(kind)
	}
	if recipe == "" && c.Kind == by.Kind && c.Confidence == by.Confidence {
		return
	}
	or.run.Task.Class = c
	or.run.Emit(event.TaskClassified{Recipe: recipe, Class: event.Class{
		Kind: string(c.Kind), Confidence: c.Confidence, Certainty: string(c.Certainty()), Scope: c.Scope, RequiresTests: c.RequiresTests, RequiresReview: c.RequiresReview,
	}})
}

// choose sets the recipe by the kind of work, and returns it if it is another one.
func (or *orchestrator) choose(by mode.Class, kind mode.Kind) (other string) {
	task := &or.run.Task
	if !task.Open {
		return ""
	}
	recipe, noTests := by.Chosen(kind)
	task.NoTests = noTests
	if recipe == task.Recipe {
		return ""
	}
	task.Recipe = recipe
	return string(recipe)
}
