package proposal

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/patch"
)

// text draws a text of few different lines, so that lines repeat as braces and blanks do in code.
func text(label string) *rapid.Generator[string] {
	line := rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "d\n", "}\n", "\n", "\r\n"})
	return rapid.Custom(func(t *rapid.T) string {
		all := strings.Join(rapid.SliceOfN(line, 0, 14).Draw(t, label), "")
		if rapid.Bool().Draw(t, "no final newline") {
			all = strings.TrimSuffix(all, "\n")
		}
		return all
	})
}

// typed draws what the user made of a text: lines taken out, and lines of their own put in.
func typed(t *rapid.T, base string) (now string, own []string) {
	var out strings.Builder
	type_ := func(label string) {
		if rapid.IntRange(0, 5).Draw(t, label) == 0 {
			line := "mine " + strings.Repeat("i", len(own)) + "\n"
			own = append(own, line)
			out.WriteString(line)
		}
	}
	for _, line := range patch.SplitLines(base) {
		type_("insert")
		if rapid.IntRange(0, 6).Draw(t, "delete") != 0 {
			out.WriteString(line)
		}
	}
	if strings.HasSuffix(out.String(), "\n") || out.Len() == 0 {
		type_("append")
	}
	return out.String(), own
}

func drawUpdate(t *rapid.T) *Proposal {
	change := patch.FileChange{
		Kind: patch.Update, Path: "f", Before: text("before").Draw(t, "before"), After: text("after").Draw(t, "after"),
	}
	p := propose(change)
	if len(p.Files) == 0 {
		t.Skip("nothing changes")
	}
	return p
}

// draw returns some of the proposal's hunks, in any order.
func draw(t *rapid.T, p *Proposal) []string {
	var ids []string
	for h := range p.hunks() {
		ids = append(ids, h.ID)
	}
	ids = rapid.Permutation(ids).Draw(t, "order")
	return ids[:rapid.IntRange(0, len(ids)).Draw(t, "how many")]
}

// planTyped plans some of the hunks on a text in which the user has typed, and gives the lines of their own.
func planTyped(t *rapid.T, p *Proposal) (plan FilePlan, own []string) {
	now, own := typed(t, p.Files[0].Change.Before)
	ids := draw(t, p)
	if len(ids) == 0 {
		t.Skip("nothing chosen")
	}
	return planOne(t, p, ids, now), own
}

func planOne(t require.TestingT, p *Proposal, ids []string, now string) FilePlan {
	plans, err := p.Plan(ids, files(map[string]string{"f": now}))
	require.NoError(t, err)
	require.Len(t, plans, 1)
	require.Equal(t, plans[0].Want, applied(t, plans[0]), "the edits make the wanted text")
	return plans[0]
}

// Accepting hunks one after the other, in whatever order, ends in the text of accepting them at once,
// and all of them end in the run's text.
func TestPlan_OrderOfAcceptingDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawUpdate(t)
		base, want := p.Files[0].Change.Before, p.Files[0].Change.After
		ids := draw(t, p)
		now := base
		for i, id := range ids {
			plan := planOne(t, p, []string{id}, now)
			require.Empty(t, plan.Conflicts)
			now = plan.Want
			p.Confirm(plan, Current{Text: now, Exists: true})
			for h := range p.hunks() {
				require.Equal(t, slices.Contains(ids[:i+1], h.ID), h.State == Accepted, h.ID)
			}
		}
		if len(ids) > 0 {
			require.Equal(t, planOne(t, p.Clone(), ids, base).Want, now)
		}
		if len(ids) == len(p.Files[0].Hunks) {
			require.Equal(t, want, now)
			require.False(t, p.Open())
		}
	})
}

// Whatever was typed stays, whatever is accepted; the rest of the text is the run's or the base's.
func TestPlan_LosesNothingTyped(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawUpdate(t)
		plan, own := planTyped(t, p)
		var kept []string
		for _, line := range patch.SplitLines(plan.Want) {
			if strings.HasPrefix(line, "mine ") {
				kept = append(kept, line)
			}
		}
		require.Equal(t, own, kept)

		// Without the lines of their own, every line of Want is one the run's hunks or the base have.
		known := append(patch.SplitLines(p.Files[0].Change.Before), patch.SplitLines(p.Files[0].Change.After)...)
		for _, line := range patch.SplitLines(plan.Want) {
			require.True(t, strings.HasPrefix(line, "mine ") || slices.Contains(known, line), "%q", line)
		}
	})
}

// A planned and written change is accepted.
func TestConfirm_AgreesWithPlan(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawUpdate(t)
		plan, _ := planTyped(t, p)
		written := Current{Text: plan.Want, Exists: true}
		p.Confirm(plan, written)
		requirePlanned(t, plan, p)
	})
}

// drawDistinct is an update no two lines of which are the same.
func drawDistinct(t *rapid.T) *Proposal {
	var before, after strings.Builder
	for i := range rapid.IntRange(1, 16).Draw(t, "lines") {
		line := fmt.Sprintf("line %d\n", i)
		before.WriteString(line)
		switch rapid.IntRange(0, 5).Draw(t, "what happens") {
		case 0:
		case 1:
			fmt.Fprintf(&after, "new %d\n", i)
		case 2:
			fmt.Fprintf(&after, "%snew %d\n", line, i)
		default:
			after.WriteString(line)
		}
	}
	p := propose(patch.FileChange{Kind: patch.Update, Path: "f", Before: before.String(), After: after.String()})
	if len(p.Files) == 0 {
		t.Skip("nothing changes")
	}
	return p
}

// Even without the plan, Settle finds what was written, and only that, whatever the user added and
// removed, as long as lines do not repeat: the text does not show which of two copies was removed.
func TestSettle_AgreesWithPlan(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawDistinct(t)
		plan, _ := planTyped(t, p)
		p.Settle("f", Current{Text: plan.Want, Exists: true})
		for h := range p.hunks() {
			if plan.holds(h.ID) {
				require.Equal(t, Accepted, h.State, h.ID)
			} else if h.Edit.New != "" { // what only deletes may have been deleted by the user
				require.NotEqual(t, Accepted, h.State, h.ID)
			}
		}
	})
}

// requirePlanned checks that every hunk the plan brought in is accepted.
func requirePlanned(t *rapid.T, plan FilePlan, p *Proposal) {
	for h := range p.hunks() {
		if plan.holds(h.ID) {
			require.Equal(t, Accepted, h.State, h.ID)
		}
	}
}

// Undoing what was accepted makes it pending again.
func TestSettle_UndoneIsPending(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawUpdate(t)
		p.Settle("f", Current{Text: p.Files[0].Change.After, Exists: true})
		require.False(t, p.Open())
		p.Settle("f", Current{Text: p.Files[0].Change.Before, Exists: true})
		for h := range p.hunks() {
			require.Equal(t, Pending, h.State)
		}
	})
}
