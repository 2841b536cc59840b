package module

import (
	"context"
	"fmt"
	"slices"

	"forge/engine/agent"
	"forge/engine/graph"
	"forge/engine/pipeline/dialogue"
	"forge/engine/pipeline/judge"
	"forge/engine/pipeline/work"
	"forge/engine/plan"
	"forge/engine/prompt"
	"forge/engine/step"
)

// Planner has a task split into parts, each with its own module, and carries the plan out: it asks a model for a plan, offers it to the user, adds a
// module to the graph for each part, and asks the model to review the plan when it is stuck or the user wants that. The values are in package plan.
//
//	PlanParts ─► draft ─► offer ─► approve ─► adopt: {a/…, b/…} ─► join-1/… ─► {c/…} ─► the whole
//	Next      ─► Check, Revise: other parts in place of those that have not begun
//	Gather    ─► Partial: the parts that hold, joined, if others cannot be done
//
// Invariants: nothing is written before the plan is approved; a revision replaces nothing that any replay has begun.
type Planner struct {
	run   *work.Run
	gates *judge.Gates
	whole *Module // of all of the task

	carried carried   // the plan while it is carried out
	modules []*Module // of the parts, of their joins, and of a partial result, in the order of the graph; also of parts that a revision replaced
	joins   int       // modules that join parts, so far
	partial *Partial  // nil if no part is missing

	share, shareOfTools int // of a module: its exchanges with models, and its tool calls

	offers *offers
	made   *plan.File // of a run that only plans; nil before
}

// NewPlanner returns the planner of a run. whole is the module of all of the task.
func NewPlanner(r *work.Run, gates *judge.Gates, whole *Module) *Planner {
	return &Planner{run: r, gates: gates, whole: whole, offers: &offers{run: r, whole: whole}}
}

// Made returns the plan of a run that only plans; nil before.
func (pl *Planner) Made() *plan.File { return pl.made }

const planInstructions = `You split a change to a code base into parts. You do not write code. Each part is written, tested and reviewed separately,
by a developer who sees this plan and the results of the parts that it depends on, but not of the parts in progress at the same
time. So give each part the names and signatures that other parts rely on, never let two parts change the same file, and make a part
depend on another only if it needs the result. Prefer few parts; a small change is one part. Two to seven
parts of at most five files each are typical. Answer with one JSON object:
- "explanation": two sentences for the user who approves the plan.
- "parts": the parts, as the schema describes them. List every file that a part changes or creates, including its tests.`

const planTokens = 16384 // 60 parts of 250

// outline is the planner's answer.
type outline struct {
	Explanation string      `json:"explanation" jsonschema:"two sentences"`
	Parts       []plan.Part `json:"parts"`

	Requests []dialogue.Glance `json:"requests,omitempty" jsonschema:"what to see first; normally empty"`

	degraded string // why there is no plan, and the task is one part; empty for a plan
}

// PlanParts has the task split into parts, lets the user approve them, and adds the parts to the graph. Nothing is written before.
func (pl *Planner) PlanParts(ctx context.Context, n graph.Node) graph.Outcome {
	if err := pl.offers.learnPace(ctx, n); err != nil {
		return work.Failed("read how long plans took", err)
	}
	var said []prompt.Section // the user's feedback on earlier drafts
	for draft := 1; ; draft++ {
		drawn, ending := pl.draft(ctx, n, draft, said)
		if ending != nil {
			return *ending
		}
		offered := pl.offers.offer(offeredPlan{explanation: drawn.Explanation, degraded: drawn.degraded}, plan.Plan{Parts: drawn.Parts})
		feedback, approval := pl.offers.approve(ctx, n, draft, &offered)
		switch {
		case feedback != "":
			said = append(said,
				prompt.Section{Kind: prompt.Errors, Name: "Your last plan", Text: offered.plan.Markdown(offered.notes), Data: true},
				prompt.Section{Kind: prompt.Errors, Name: "Changes that the user asks for", Text: feedback})
		case approval.Status != graph.Done:
			return approval
		case offered.degraded != "":
			return pl.run.Grow(pl.whole.Job.Shape(work.NodePlan))
		default:
			pl.run.Verify = offered.commands
			return pl.adopt(n, offered.plan)
		}
	}
}

// draft returns a plan: first the user's own, if there is one, and otherwise a model's. An outcome is the end without one.
func (pl *Planner) draft(ctx context.Context, n graph.Node, draft int, said []prompt.Section) (outline, *graph.Outcome) {
	if given := pl.run.Task.Plan.Given; draft == 1 && len(given) > 0 {
		drawn := outline{Parts: given}
		if err := pl.offers.checkPlan(drawn); err != nil {
			return drawn, &graph.Outcome{Status: graph.Blocked, Reason: fmt.Sprintf("your plan cannot be carried out: %v", err)}
		}
		return drawn, nil
	}
	drawn, o := pl.outline(ctx, n, draft, said)
	switch o.Signal {
	case step.Success:
		return drawn, nil
	case step.Retryable:
		return pl.fallback(o.Reason), nil
	}
	ending := work.Outcome(o, graph.Normal)
	return drawn, &ending
}

// fallback returns the task as one part, because the planner gave no plan that can be used.
func (pl *Planner) fallback(why string) outline {
	return outline{
		Explanation: "The planner gave no plan that can be used, so the task is carried out as one part, as without a plan.", degraded: work.FirstOf(why),
		Parts: []plan.Part{{ID: "task", Title: work.Shorten(work.FirstOf(pl.run.Task.Text), 60), Objective: pl.run.Task.Text, DoneWhen: "the task is done"}},
	}
}

// OnlyPlan makes a plan that the user may edit, and carries out nothing.
func (pl *Planner) OnlyPlan(ctx context.Context, n graph.Node) graph.Outcome {
	drawn, o := pl.outline(ctx, n, 1, nil)
	switch o.Signal {
	case step.Success:
	case step.Retryable:
		return pl.unusable(drawn, o.Reason)
	default:
		return work.Outcome(o, graph.Normal)
	}
	if err := pl.offers.learnPace(ctx, n); err != nil {
		return work.Failed("read how long plans took", err)
	}
	p, notes := plan.Repair(plan.Plan{Parts: drawn.Parts})
	pl.run.Emit(pl.offers.planned(offeredPlan{plan: p, notes: notes}))
	pl.made = pl.offers.file(drawn.Explanation, p.Parts)
	pl.run.Finish("a plan with " + pl.offers.measured(p))
	return graph.Outcome{Status: graph.Done}
}

// unusable ends a run that only plans without a plan that can be carried out. Parts with faults are kept for the user to correct.
func (pl *Planner) unusable(drawn outline, why string) graph.Outcome {
	reason := "the planner gave no plan that can be used: " + work.FirstOf(why)
	if len(drawn.Parts) > 0 {
		pl.made = pl.offers.file(drawn.Explanation, drawn.Parts)
		return graph.Outcome{Status: graph.Blocked, Reason: reason + ". Correct its last answer"}
	}
	return graph.Outcome{Status: graph.Blocked, Reason: reason + ". Resume the run to ask again, choose another model, or carry the task out without a plan: forge run"}
}

// outline asks for a plan.
func (pl *Planner) outline(ctx context.Context, n graph.Node, draft int, said []prompt.Section) (outline, step.Outcome) {
	files, err := pl.whole.Prompter.Context(ctx, n, "context", pl.run.Folder())
	if err != nil {
		return outline{}, step.Outcome{Signal: step.NeedsHuman, Reason: err.Error()}
	}
	adviser := dialogue.NewAdviser(pl.whole.Module, agent.Planner, pl.run.Folder())
	return dialogue.Answer(ctx, adviser, n, step.Step[outline]{
		Name: "plan", Key: fmt.Sprintf("draft %d", draft), MaxTokens: planTokens, Check: pl.offers.checkPlan,
		Document: pl.whole.Prompter.Compose(n.ID, planInstructions+"\n"+pl.run.Grants.VerifyRule()+adviser.Rules(), slices.Concat(files, pl.whole.Prompter.Names(), pl.run.Specification(), said)...),
	}, func(o outline) []dialogue.Glance { return o.Requests }, func(s step.Step[outline]) (outline, step.Outcome) {
		return work.Decide(ctx, pl.whole.Budget, n, s)
	})
}

// adopt adds the modules of a plan to the graph: all of them, or the first ones after which the planner is asked again. In the end the
// whole is joined and reviewed.
//
// A plan of one part is the task itself.
func (pl *Planner) adopt(n graph.Node, p plan.Plan) graph.Outcome {
	if len(p.Parts) == 1 {
		pl.whole.Job.Part = &p.Parts[0]
		return pl.run.Grow(pl.whole.Job.Shape(work.NodePlan))
	}
	if o := pl.divide(p); o.Status != graph.Done {
		return o
	}
	pl.carried.parts = inTiers(p.Parts)
	pl.carried.later = idsOfParts(pl.carried.parts)
	return pl.extend(n)
}

// divide divides the run's remaining budget among the modules: the share of one must not depend on the speed of others. A part that
// depends on several has one for their join, and a partial result has one. If the user limits no exchanges, the limit of a run grows
// with the plan that the user approves.
func (pl *Planner) divide(p plan.Plan) graph.Outcome {
	n, times, checks := len(p.Parts)+2, 1+len(pl.run.Retries), 0 // count lets each have its share as many times
	for _, part := range p.Parts {
		n += min(1, len(part.DependsOn)/2)
	}
	if every := pl.run.SanityEvery; every > 0 {
		checks = (len(p.Parts) - 1) / every
	}
	if pl.run.Steps <= 0 {
		pl.whole.Budget.Most = max(pl.whole.Budget.Most, usualShare*n+checks)
	}
	left := (pl.whole.Budget.Most-checks)*times - pl.whole.Budget.Steps
	each := left / times / n
	if left/n < work.LeastShare || each < 1 {
		return graph.Outcome{Status: graph.Blocked, Reason: fmt.Sprintf(
			"the plan has %d parts, and only %d exchanges with models are left for them (limits.steps is %d): resume the run, and it may have as many again; or ask for fewer parts",
			len(p.Parts), left, pl.whole.Budget.Most)}
	}
	pl.share, pl.shareOfTools = each, max(1, pl.whole.Budget.Tools/n)
	pl.whole.Budget.Most, pl.whole.Budget.Tools = (pl.whole.Budget.Steps+times-1)/times+each+checks, pl.shareOfTools
	return graph.Outcome{Status: graph.Done}
}

// usualShare is the number of exchanges for a part if the user limits none: three attempts of two exchanges each, a review, and a debugger.
const usualShare = 8
