package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"forge/engine/ask"
	"forge/engine/event"
	"forge/engine/graph"
	"forge/engine/plan"
	"forge/engine/prompt"
	"forge/engine/step"
)

// planner cuts a task into parts, each with a module of its own.
type planner struct {
	run       *run
	job       *job
	budget    *budget
	questions *questions
	prompter  *prompter
}

const plannerInstructions = `You cut a change to a code base into parts. You do not write code. Each part is written, tested and reviewed by itself,
by somebody who sees this plan and the results of the parts that it waits for, but not those that are worked on at the same
time. So a part needs names and signatures that others rely on; let no two parts change the same file, and let a part wait
for another only where it needs its result. Few parts are better than many; one is right for a small change. Two to seven
parts of at most five files are usual. Answer with one JSON object:
- "explanation": two sentences for the person who approves the plan.
- "parts": the parts; see the fields of the schema. Name every file that a part changes or creates, its tests too.`

const planTokens = 8192

// Planning is whether and how a task is cut into parts.
type Planning struct {
	Wanted   bool
	Approved bool // the person has said that no plan has to be shown to them
	Inline   bool // sub-tasks of a part are not worked on side by side
}

// outline is the planner's answer.
type outline struct {
	Explanation string      `json:"explanation" jsonschema:"two sentences"`
	Parts       []plan.Part `json:"parts"`
}

// checkPlan refuses what is no plan, and a plan of which nothing is seen red first where the task wants that: what a model calls a part
// does not decide whether a change is tested.
func (pl *planner) checkPlan(o outline) error {
	err := plan.Plan{Parts: o.Parts}.Check()
	tested := slices.ContainsFunc(o.Parts, func(p plan.Part) bool { return p.Type == "" || Recipe(p.Type).TestsFirst() })
	if err == nil && !tested && pl.job.way().RedTests {
		err = fmt.Errorf("no part has the type implement, and the task is to %s: at least one part must have tests that fail before it is done", pl.run.task.Recipe.Summary())
	}
	return err
}

// planParts has the task cut into parts, lets the person approve that, and adds the parts to the graph. Nothing is written before.
func (pl *planner) planParts(ctx context.Context, n graph.Node) graph.Outcome {
	var said []prompt.Section // by the person, about earlier drafts
	for draft := 1; ; draft++ {
		drawn, o := pl.outline(ctx, n, draft, said)
		if o.Signal != step.Success {
			return outcome(o, graph.Normal)
		}
		p, notes := plan.Mend(plan.Plan{Parts: drawn.Parts})
		if !pl.run.task.Plan.Inline {
			p = plan.FanOut(p)
		}
		pl.run.Tell(plannedOf(p, notes))
		feedback, approval := pl.approvePlan(ctx, n, drawn.Explanation, p, notes)
		switch {
		case feedback != "":
			said = append(said,
				prompt.Section{Kind: prompt.Errors, Name: "Your last plan", Text: p.Markdown(notes), Data: true},
				prompt.Section{Kind: prompt.Errors, Name: "What the person wants to be different", Text: feedback})
		case approval.Status != graph.Done:
			return approval
		default:
			return pl.adopt(p)
		}
	}
}

// outline asks for a plan.
func (pl *planner) outline(ctx context.Context, n graph.Node, draft int, said []prompt.Section) (outline, step.Outcome) {
	files, err := pl.prompter.context(ctx, n, "context", pl.run.base())
	if err != nil {
		return outline{}, step.Outcome{Signal: step.NeedsHuman, Reason: err.Error()}
	}
	return decide(ctx, pl.budget, n, step.Step[outline]{
		Name: "plan", Key: fmt.Sprintf("draft %d", draft), MaxTokens: planTokens, Check: pl.checkPlan,
		Document: pl.prompter.compose(n.ID, plannerInstructions, slices.Concat(files, pl.run.specification(), said)...),
	})
}

// approvePlan lets the person read the plan before anything is made of it, as approve does with a specification.
func (pl *planner) approvePlan(ctx context.Context, n graph.Node, explanation string, p plan.Plan, notes []string) (feedback string, o graph.Outcome) {
	if pl.run.task.Plan.Approved {
		return "", graph.Outcome{Status: graph.Done}
	}
	return pl.questions.consent(ctx, n, ask.Question{
		Title: fmt.Sprintf("Carry out this plan? %s in %s, about %s",
			count(len(p.Parts), "part"), count(len(p.Tiers()), "tier"), count(p.Minutes(), "minute")),
		Detail: strings.TrimSpace(explanation) + "\n\n" + p.Markdown(notes),
	}, "Carry it out", "plan", "changed")
}

func plannedOf(p plan.Plan, notes []string) event.Planned {
	told := event.Planned{Notes: notes, Minutes: p.Minutes()}
	for tier, parts := range p.Tiers() {
		for _, i := range parts {
			part := p.Parts[i]
			told.Parts = append(told.Parts, event.PlannedPart{
				ID: part.ID, Title: part.Title, Tier: tier + 1, Files: part.Files, DependsOn: part.DependsOn, Risk: part.Risk,
			})
		}
	}
	return told
}

// count is a number of things, in words: "2 parts".
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
