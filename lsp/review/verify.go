package review

import (
	"context"
	"time"

	"forge/engine/proposal"
	"forge/internal/inert"
	"forge/patch"
)

const (
	// settleWithin is how long a client that said "applied" may take to show it.
	settleWithin = 2 * time.Second
	// settleQuiet ends the wait after the last change that was seen: what has not come by then was
	// left out by the client or the user.
	settleQuiet = 500 * time.Millisecond
	// settleAtMost ends the wait also while somebody types.
	settleAtMost = 4 * time.Second
	// diskEvery is how often a file that is not open is looked at.
	diskEvery = 50 * time.Millisecond
)

// await waits until the files are as planned, or it is clear that they will not be: applied proves
// nothing, and the change may come after the answer.
func (a *application) await(ctx context.Context, sent []proposal.FilePlan, before texts) {
	most := time.NewTimer(settleAtMost)
	defer most.Stop()
	quiet := time.NewTimer(settleWithin)
	defer quiet.Stop()
	disk := time.NewTicker(diskEvery)
	defer disk.Stop()
	for {
		changed := a.by.changes.wait()
		now, err := textsOf(a.by.folders, a.review.folder, a.review.view())
		if err != nil || asPlanned(sent, now) {
			return
		}
		if !now.same(before, sentPaths(sent)) {
			before = now
			quiet.Reset(settleQuiet)
		}
		select {
		case <-changed:
		case <-disk.C:
		case <-quiet.C:
			return
		case <-most.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// asPlanned reports whether every file is as its plan wants it.
func asPlanned(sent []proposal.FilePlan, now texts) bool {
	for _, plan := range sent {
		want := proposal.Current{Text: plan.Want, Exists: plan.Kind != patch.Delete}
		if plain(now[plan.Path]) != want {
			return false
		}
		if plan.Kind == patch.Move && now[plan.From].Exists {
			return false
		}
	}
	return true
}

// settle sets the state of every planned hunk by what is there now.
func (a *application) settle(plans []proposal.FilePlan) error {
	now, err := textsOf(a.by.folders, a.review.folder, a.review.view())
	if err != nil {
		return err
	}
	a.review.change(func(p *proposal.Proposal) {
		for _, plan := range plans {
			p.Settle(plan.Path, plain(now[plan.Path]))
			p.MarkConflict(plan.Conflicts)
		}
	})
	return nil
}

// judge says whether another try is worth it, and notes what there is to say. A user who was asked
// has decided; a client that refused, or was overtaken by typing, gets another chance.
func (a *application) judge(c *composer, before texts, answer reply) (again bool, err error) {
	accepted := acceptedHunks(a.review.view())
	now, err := textsOf(a.by.folders, a.review.folder, c.proposal)
	if err != nil {
		return false, err
	}
	for _, plan := range c.sent {
		missing := 0
		for _, e := range plan.Edits {
			if !accepted[e.HunkID] {
				missing++
			}
		}
		if missing == 0 {
			delete(a.notes, plan.Path)
			continue
		}
		overtaken := !now.same(before, sentPaths([]proposal.FilePlan{plan}))
		a.notes[plan.Path] = a.excuse(c, answer, missing < len(plan.Edits))
		again = again || !c.confirm && (!answer.applied || overtaken)
	}
	return again, nil
}

// excuse says why not all of a file was applied.
func (a *application) excuse(c *composer, answer reply, some bool) string {
	switch {
	case !answer.applied && c.confirm:
		return "not applied: it was not confirmed" + because(answer.reason)
	case !answer.applied:
		return "the editor refused the edit" + because(answer.reason)
	case some:
		return "the editor applied only a part of it"
	case c.confirm:
		return "not applied: it was not confirmed"
	default:
		return "the editor said it applied the edit, but it is not in the text (yet)"
	}
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + inert.OneLine(reason, 200)
}
