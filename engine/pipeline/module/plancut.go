package module

import (
	"context"
	"fmt"
	"slices"

	"forge/engine/event"
	"forge/engine/graph"
	"forge/engine/pipeline/work"
	"forge/engine/plan"
	"forge/engine/prompt"
	"forge/engine/step"
)

const cutInstructions = `You cut one part of a plan into pieces that are worked on side by side, because its developer finds it too large for one change. You
do not write code. The pieces do not wait for each other, and each changes files of its own: give each the names and signatures that
others rely on. Answer with one JSON object:
- "pieces": at least two, each with "id" (a short word), "title", "objective" (what must be there afterwards) and "files" (relative
  paths, from the files of the part; its tests too). Together they do all of the part.`

// pieces is the planner's answer.
type pieces struct {
	Pieces []plan.Sub `json:"pieces" jsonschema:"at least two"`
}

// Cut has a part that its model finds too large cut into pieces, which take its place; what waited for the part waits for all of them. The
// pieces change no other files than the part, so that nothing is asked of the user.
func (pl *Planner) Cut(ctx context.Context, n graph.Node) graph.Outcome {
	large := pl.partOf(n)
	said, o := work.Decide(ctx, pl.whole.Budget, n, step.Step[pieces]{
		Name: "pieces", Key: "pieces", MaxTokens: planTokens, Check: func(p pieces) error { return pl.checkPieces(*large.Job.Part, p, pl.mostPieces(large)) },
		Document: pl.whole.Prompter.Compose(n.ID, cutInstructions, append(pl.run.Specification(),
			prompt.Section{Kind: prompt.Errors, Name: "The plan", Text: plan.Plan{Parts: pl.carried.parts}.Markdown(nil), Data: true},
			prompt.Section{Kind: prompt.Errors, Name: "The part to cut", Text: large.Job.Assignment(), Data: true},
			prompt.Section{Kind: prompt.Errors, Name: "Why it is too large", Text: large.History.TooLarge, Data: true})...),
	})
	if o.Signal != step.Success {
		return work.Outcome(o, graph.Normal)
	}
	reason := fmt.Sprintf("the part %s is worked on in %s: %s", large.Job.ID, event.Count(len(said.Pieces), "piece"), work.OneLine(large.History.TooLarge))
	more := pl.cut(n, large, said.Pieces)
	pl.run.Emit(pl.offers.planned(offeredPlan{plan: plan.Plan{Parts: pl.carried.parts}, revised: reason}))
	grown := pl.run.Grow(more)
	grown.Skip, grown.Reason = pl.carried.replaced, reason
	return grown
}

// mostPieces returns how many pieces a part may have: each has a share of the exchanges that are left to it, and so has their join. A run whose
// exchanges the user does not limit gives each the share of a part.
func (pl *Planner) mostPieces(m *work.Module) int {
	if pl.run.Steps <= 0 {
		return plan.MaxFiles
	}
	return m.Budget.Left()/work.LeastShare - 1
}

// checkPieces rejects pieces that are no division of a part.
func (pl *Planner) checkPieces(part plan.Part, p pieces, most int) error {
	if n := len(p.Pieces); n < 2 || n > most {
		return fmt.Errorf("%d pieces: give between 2 and %d", n, most)
	}
	part.SubTasks, part.DependsOn = p.Pieces, nil
	return plan.Plan{Parts: []plan.Part{part}}.Check()
}

// cut puts the pieces of a part in its place, and returns the growth of the graph.
func (pl *Planner) cut(n graph.Node, large *work.Module, into []plan.Sub) graph.Growth {
	before, had := work.Latest(pl.run.Parts), idsOfParts(pl.carried.parts)
	at := slices.IndexFunc(pl.carried.parts, func(p plan.Part) bool { return p.ID == large.Job.ID })
	pl.carried.parts = slices.Clone(pl.carried.parts)
	pl.carried.parts[at].SubTasks = into
	left, commands := plan.Undivided(plan.Plan{Parts: pl.carried.parts})
	pl.carried.parts, pl.run.Verify = plan.FanOut(left).Parts, append(pl.run.Verify, commands...)

	pl.run.Parts = slices.DeleteFunc(pl.run.Parts, func(m *work.Module) bool { return m == large })
	more := parts{pl: pl, from: n.ID}
	if pl.run.Steps > 0 {
		more.share = large.Budget.Left() / (len(into) + 1)
	}
	ids := slices.DeleteFunc(idsOfParts(pl.carried.parts), func(id string) bool { return slices.Contains(had, id) })
	more.add(plan.Plan{Parts: pl.carried.parts}, ids)
	for _, waiting := range slices.Clone(pl.run.Parts) {
		if i := slices.Index(waiting.Job.After, large); i >= 0 {
			joined := more.begin(ids)[0]
			waiting.Job.After = append(slices.Delete(slices.Clone(waiting.Job.After), i, i+1), joined)
			more.waitsFor(waiting.Job, joined)
		}
	}
	for _, m := range pl.run.Parts {
		if m.Job.BuildsOn(pl.run.Parts[len(pl.run.Parts)-1].Job) {
			m.Job.Plan()
		}
	}
	pl.rejoin(&more, before)
	return more.grown
}
