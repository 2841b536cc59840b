package module

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/graph"
	"forge/engine/pipeline/work"
	"forge/engine/plan"
	"forge/engine/prompt"
	"forge/engine/step"
)

// The planner reviews a plan when nothing in its graph can continue: after every so many parts, if the user wants that, and once for
// each part that its model reports as impossible. It may only replace parts that have not begun in any replay: those that were not added
// yet, or a blocked part with those that wait for it. So finished parts are kept, and a resumed run builds the same graph.

const checkInstructions = `You review a plan that is being carried out. You do not write code. You see the plan, what became of its parts so far, and which
parts remain. Answer with one JSON object:
- "decision": "CONTINUE" if the remaining parts still fit the task, "REVISE" to replace all of them, "ABORT" if the plan can no longer
  succeed: then what is done is offered as it is.
- "reason": one sentence for the user.
- "parts": with REVISE the new parts in place of the remaining ones; they may depend on parts that are done. Otherwise empty.`

// verdict is the planner's answer about a plan that is being carried out.
type verdict struct {
	Decision string      `json:"decision" jsonschema:"CONTINUE, REVISE or ABORT"`
	Reason   string      `json:"reason" jsonschema:"one sentence"`
	Parts    []plan.Part `json:"parts,omitempty" jsonschema:"with REVISE: the new remaining parts"`
}

// The decisions.
const (
	decideContinue = "CONTINUE"
	decideRevise   = "REVISE"
	decideAbort    = "ABORT"
)

// The kinds of nodes that review or change a plan.
const (
	KindCheck  = "check"
	KindRevise = "revise"
	KindCut    = "cut"
)

// carried is a plan while it is carried out.
type carried struct {
	parts    []plan.Part // the current ones, in the order of their tiers
	later    []string    // ids of those that are not in the graph yet
	joined   bool        // the whole is in the graph
	checks   int         // how often the plan was looked at between its parts
	replaced []string    // nodes that a revision makes unnecessary; set before the node that revises begins
}

// Next adds a node that reviews the plan to a graph in which nothing can continue, and reports whether it did.
func (pl *Planner) Next(g *graph.Graph, stuck *graph.StuckError) bool {
	var id, kind string
	lacking := pl.blocked(g, stuck, func(h *work.History) bool { return h.Missing != "" })
	large := pl.blocked(g, stuck, func(h *work.History) bool { return h.TooLarge != "" })
	switch {
	case lacking != nil:
		id, kind = lacking.Job.ID, KindRevise
		pl.carried.replaced = pl.unfinished(g, pl.buildsOn(pl.withDependents(lacking.Job.ID)))
	case large != nil:
		id, kind = large.Job.ID, KindCut
		pl.carried.replaced = pl.unfinished(g, func(m *work.Module) bool { return m == large })
	case len(pl.carried.later) > 0 && !stuckAtCheck(stuck):
		pl.carried.checks++
		id, kind = fmt.Sprintf("check-%d", pl.carried.checks), KindCheck
	default:
		return false
	}
	grown := graph.Growth{Nodes: []graph.Node{{ID: id + "/" + work.NodePlan, Kind: kind}}}
	pl.grow(g, grown)
	return true
}

// stuckAtCheck reports whether the planner ended the plan, or could not be asked.
func stuckAtCheck(stuck *graph.StuckError) bool {
	return stuck != nil && slices.ContainsFunc(stuck.Nodes, func(n graph.Node) bool { return n.Kind == KindCheck })
}

// blocked returns the first part that is blocked for such a reason of its model, and about which the planner was not asked.
func (pl *Planner) blocked(g *graph.Graph, stuck *graph.StuckError, why func(*work.History) bool) *work.Module {
	nodes := g.Nodes()
	for _, m := range pl.run.Parts {
		asked := slices.ContainsFunc(nodes, func(n graph.Node) bool { return n.ID == m.Job.Node(work.NodePlan) })
		if m.Job.Part != nil && why(m.History) && stuck != nil && reasonAt(m, stuck) != "" && !asked {
			return m
		}
	}
	return nil
}

// withDependents returns parts, and those that depend on them, directly or not.
func (pl *Planner) withDependents(ids ...string) []string {
	for grew := true; grew; {
		grew = false
		for _, p := range pl.carried.parts {
			depends := slices.ContainsFunc(p.DependsOn, func(id string) bool { return slices.Contains(ids, id) })
			if depends && !slices.Contains(ids, p.ID) {
				ids, grew = append(ids, p.ID), true
			}
		}
	}
	return ids
}

// buildsOn returns whether a module is that of one of these parts, or builds on one.
func (pl *Planner) buildsOn(ids []string) func(*work.Module) bool {
	return func(m *work.Module) bool {
		return slices.Contains(ids, m.Job.ID) || slices.ContainsFunc(m.Job.Before(), func(b *work.Module) bool { return slices.Contains(ids, b.Job.ID) })
	}
}

// unfinished returns the nodes of such modules that are not done.
func (pl *Planner) unfinished(g *graph.Graph, gone func(*work.Module) bool) (nodes []string) {
	for _, m := range pl.run.Parts {
		for _, n := range g.Nodes() {
			if gone(m) && m.Job.Node(n.Kind) == n.ID && (n.Status == graph.Pending || n.Status == graph.Blocked) {
				nodes = append(nodes, n.ID)
			}
		}
	}
	return nodes
}

// Check asks the planner about the remaining parts after so many parts.
func (pl *Planner) Check(ctx context.Context, n graph.Node) graph.Outcome {
	said, o := pl.lookAgain(ctx, n, pl.carried.later, 0, nil)
	switch {
	case o.Signal != step.Success:
		return work.Outcome(o, graph.Normal)
	case said.Decision == decideAbort && pl.run.Retried(n) == 0:
		return graph.Outcome{Status: graph.Blocked, Reason: "the planner ends the plan here: " + said.Reason}
	case said.Decision != decideRevise:
		return pl.extend(n)
	}
	revised, agreed := pl.agreed(ctx, n, said, pl.carried.later)
	if agreed.Status != graph.Done {
		return agreed
	}
	if revised != nil {
		pl.replace(revised, pl.carried.later)
	}
	return pl.extend(n)
}

// Revise asks the planner about a part that its model reports as impossible, and those that wait for it.
func (pl *Planner) Revise(ctx context.Context, n graph.Node) graph.Outcome {
	part := pl.partOf(n)
	id := part.Job.ID
	remaining := pl.withDependents(id)
	said, o := pl.lookAgain(ctx, n, remaining, 0, []prompt.Section{{Kind: prompt.Errors, Name: "What the part " + id + " reports", Text: part.History.Missing, Data: true}})
	switch {
	case o.Signal != step.Success:
		return work.Outcome(o, graph.Normal)
	case said.Decision != decideRevise:
		return graph.Outcome{Status: graph.Done, Reason: "the plan stays as it is: " + said.Reason}
	}
	revised, agreed := pl.agreed(ctx, n, said, remaining)
	if agreed.Status != graph.Done || revised == nil {
		return agreed
	}
	grown := pl.run.Grow(pl.swap(n, revised, remaining))
	grown.Skip, grown.Reason = pl.carried.replaced, "the plan was revised: "+said.Reason
	return grown
}

// partOf returns the part that a node of the planner is about.
func (pl *Planner) partOf(n graph.Node) *work.Module {
	id := strings.TrimSuffix(n.ID, "/"+work.NodePlan)
	return pl.run.Parts[slices.IndexFunc(pl.run.Parts, func(m *work.Module) bool { return m.Job.ID == id })]
}

// swap puts revised parts in place of others in the graph, and has the whole wait for them.
func (pl *Planner) swap(n graph.Node, revised []plan.Part, gone []string) graph.Growth {
	before := work.Latest(pl.run.Parts)
	pl.drop(gone)
	pl.replace(revised, gone)
	more := parts{pl: pl, from: n.ID}
	more.add(plan.Plan{Parts: pl.carried.parts}, idsOfParts(revised))
	pl.rejoin(&more, before)
	return more.grown
}

// rejoin has the whole of the task join the parts as they are now, if all of them are in the graph. before are those that it waited for.
func (pl *Planner) rejoin(more *parts, before []*work.Module) {
	switch {
	case pl.carried.joined:
		pl.whole.Job.After = work.Latest(pl.run.Parts)
		for _, m := range pl.whole.Job.After {
			if !slices.Contains(before, m) {
				more.waitsFor(pl.whole.Job, m)
			}
		}
	case len(pl.carried.later) == 0:
		pl.join(more)
	}
}

// join has the whole of the task join all parts.
func (pl *Planner) join(more *parts) {
	more.whole(pl.whole.Job)
	pl.carried.joined = true
}

// drop takes the modules of parts, and the joins of them, out of the run.
func (pl *Planner) drop(ids []string) {
	gone, builds := map[*work.Module]bool{}, pl.buildsOn(ids)
	for _, m := range pl.run.Parts {
		gone[m] = builds(m)
	}
	pl.run.Parts = slices.DeleteFunc(pl.run.Parts, func(m *work.Module) bool { return gone[m] })
}

// replace puts revised parts in place of others.
func (pl *Planner) replace(revised []plan.Part, gone []string) {
	isGone := func(id string) bool { return slices.Contains(gone, id) }
	rest := slices.DeleteFunc(slices.Clone(pl.carried.parts), func(p plan.Part) bool { return isGone(p.ID) })
	revised = inTiers(revised)
	if slices.Equal(gone, pl.carried.later) {
		pl.carried.later = idsOfParts(revised)
	} else {
		pl.carried.later = slices.DeleteFunc(slices.Clone(pl.carried.later), isGone)
	}
	pl.carried.parts = append(rest, revised...)
}

// inTiers returns parts in the order of their tiers.
func inTiers(all []plan.Part) (ordered []plan.Part) {
	p := plan.Plan{Parts: all}
	for _, tier := range p.Tiers() {
		for _, i := range tier {
			ordered = append(ordered, all[i])
		}
	}
	return ordered
}

func idsOfParts(parts []plan.Part) (ids []string) {
	for _, p := range parts {
		ids = append(ids, p.ID)
	}
	return ids
}

// lookAgain asks the planner's model about the remaining parts of a plan, for the again-th time in a node.
func (pl *Planner) lookAgain(ctx context.Context, n graph.Node, remaining []string, again int, more []prompt.Section) (verdict, step.Outcome) {
	nodes, err := step.ActivityStanding.Call(ctx, pl.run.Flow, work.At(n), work.Again("standing", again), struct{}{})
	if err != nil {
		return verdict{}, work.Unable(ctx, err)
	}
	sections := append(pl.run.Specification(),
		prompt.Section{Kind: prompt.Errors, Name: "The plan", Text: plan.Plan{Parts: pl.carried.parts}.Markdown(nil), Data: true},
		prompt.Section{Kind: prompt.Errors, Name: "What became of its parts", Text: pl.progress(nodes, remaining), Data: true})
	return work.Decide(ctx, pl.whole.Budget, n, step.Step[verdict]{
		Name: "verdict", Key: work.Again("verdict", again), MaxTokens: planTokens,
		Check:    func(v verdict) error { return pl.checkVerdict(v, remaining) },
		Document: pl.whole.Prompter.Compose(n.ID, checkInstructions, slices.Concat(sections, more)...),
	})
}

// progress returns a line for each part of the plan. nodes are the statuses from when the planner was first asked: newer ones would change the
// question in a resumed run.
func (pl *Planner) progress(nodes []step.Standing, remaining []string) string {
	var text strings.Builder
	for _, p := range pl.carried.parts {
		state := "not done"
		for _, n := range nodes {
			part, kind, _ := strings.Cut(n.Node, "/")
			switch {
			case part != p.ID:
			case kind == work.NodeReview && n.Status == graph.Done.String():
				state = "done"
			case n.Status == graph.Failed.String() || n.Status == graph.Blocked.String():
				state = "not done: " + work.FirstOf(n.Reason)
			}
		}
		if slices.Contains(remaining, p.ID) {
			state = "remains"
		}
		fmt.Fprintf(&text, "%s: %s\n", p.ID, state)
	}
	return strings.TrimRight(text.String(), "\n")
}

// checkVerdict rejects a revision that cannot be carried out.
func (pl *Planner) checkVerdict(v verdict, remaining []string) error {
	if err := work.OneOf("decision", v.Decision, decideContinue, decideRevise, decideAbort); err != nil || v.Decision != decideRevise {
		return err
	}
	if err := (plan.Plan{Parts: v.Parts}).Check(); err != nil {
		return err
	}
	for _, p := range v.Parts {
		if slices.ContainsFunc(pl.modules, func(m *Module) bool { return m.Job.ID == p.ID }) {
			return fmt.Errorf("part %q: a part of this name was begun already: choose another id", p.ID)
		}
	}
	if most := max(1, len(remaining)*pl.share/work.LeastShare); len(v.Parts) > most {
		return fmt.Errorf("%d parts: the exchanges with models that are left are enough for %d", len(v.Parts), most)
	}
	return nil
}

// agreed returns the repaired parts of a revision that the user approves; nil if the plan is to stay as it is. If they state what should
// be different, the planner revises again.
func (pl *Planner) agreed(ctx context.Context, n graph.Node, said verdict, remaining []string) ([]plan.Part, graph.Outcome) {
	for again := 1; ; again++ {
		parts, feedback, o := pl.consented(ctx, n, said, remaining)
		if feedback == "" {
			return parts, o
		}
		next, asked := pl.lookAgain(ctx, n, remaining, again, []prompt.Section{
			{Kind: prompt.Errors, Name: "Your last revision", Text: plan.Plan{Parts: said.Parts}.Markdown(nil), Data: true},
			{Kind: prompt.Errors, Name: "Changes that the user asks for", Text: feedback},
		})
		switch {
		case asked.Signal != step.Success:
			return nil, work.Outcome(asked, graph.Normal)
		case next.Decision != decideRevise:
			return nil, graph.Outcome{Status: graph.Done, Reason: "the plan stays as it is: " + next.Reason}
		}
		said = next
	}
}

// consented asks the user about a revision, and returns its repaired parts; nil without consent. feedback is what should be different.
func (pl *Planner) consented(ctx context.Context, n graph.Node, said verdict, remaining []string) (revised []plan.Part, feedback string, o graph.Outcome) {
	kept := slices.DeleteFunc(slices.Clone(pl.carried.parts), func(p plan.Part) bool { return slices.Contains(remaining, p.ID) })
	said.Reason = strings.TrimSpace(said.Reason)
	offered := pl.offers.offer(offeredPlan{explanation: said.Reason, revised: said.Reason}, plan.Plan{Parts: slices.Concat(kept, said.Parts)})
	parts, verify := offered.plan.Parts[len(kept):], append(plan.StillOf(pl.run.Verify, kept), offered.commands...)
	if pl.run.Task.Plan.Approved {
		pl.run.Verify = verify
		return parts, "", graph.Outcome{Status: graph.Done}
	}
	feedback, o = pl.whole.Questions.Consent(ctx, n, event.Question{
		Title:  fmt.Sprintf("Carry on with this revised plan? %s in place of %s", event.Count(len(parts), "part"), event.Count(len(remaining), "part")),
		Detail: said.Reason + "\n\n" + offered.plan.Markdown(offered.notes),
	}, "Carry it out", "revision", "changed")
	switch {
	case o.Status == graph.Done:
		pl.run.Verify = verify
		return parts, "", o
	case feedback == "" && o.Reason == notApprovedRevision:
		pl.whole.Questions.Declined = ""
		return nil, "", graph.Outcome{Status: graph.Done, Reason: "the plan stays as it is: the user rejected the revision"}
	}
	return nil, feedback, o
}

const notApprovedRevision = "the revision was not approved"

// extend adds the next parts of the plan to the graph, and after the last of them the whole.
func (pl *Planner) extend(n graph.Node) graph.Outcome {
	more := parts{pl: pl, from: n.ID}
	next := pl.carried.later
	if every := pl.run.SanityEvery; every > 0 && len(next) > every {
		next = next[:every]
	}
	pl.carried.later = pl.carried.later[len(next):]
	more.add(plan.Plan{Parts: pl.carried.parts}, next)
	if len(pl.carried.later) == 0 {
		pl.join(&more)
	}
	return pl.run.Grow(more.grown)
}
