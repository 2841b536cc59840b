package proposal

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/patch"
)

// A hunk is placed beside lines that the user has typed or changed, unless the text does not show which lines are the hunk's, or in which order
// lines come.
func TestPlan_BesideTypedLines(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, after, now, want string // want is empty for a conflict
	}{
		"behind":                         {"a\nL\nb\n", "a\nO\nb\n", "a\nL\nmine\nb\n", "a\nO\nmine\nb\n"},
		"before":                         {"a\nL\nb\n", "a\nO\nb\n", "a\nmine\nL\nb\n", "a\nmine\nO\nb\n"},
		"on both sides":                  {"a\nL\nb\n", "a\nb\n", "a\nmine\nL\nmine\nb\n", "a\nmine\nmine\nb\n"},
		"at the ends of a file":          {"L\n", "O\n", "mine\nL\nmine\n", "mine\nO\nmine\n"},
		"a blank line":                   {"a\nL\nb\n", "a\nO\nb\n", "a\n\nL\nb\n", "a\n\nO\nb\n"},
		"the line before was changed":    {"a\nL\nb\n", "a\nO\nb\n", "A\nL\nb\n", "A\nO\nb\n"},
		"the line behind was changed":    {"a\nL\nb\n", "a\nO\nb\n", "a\nL\nmine\n", "a\nO\nmine\n"},
		"the line behind was removed":    {"a\nL\nb\n", "a\nO\nb\n", "a\nL\n", "a\nO\n"},
		"in the lines":                   {"a\nL\nM\nb\n", "a\nb\n", "a\nL\nmine\nM\nb\n", ""},
		"a line of it was changed":       {"a\nL\nM\nb\n", "a\nb\n", "a\nL\nmine\nb\n", ""},
		"two lines come to one place":    {"a\nb\n", "a\nO\nb\n", "a\nmine\nb\n", ""},
		"a copy of the lines":            {"a\nL\nb\n", "a\nO\nb\n", "a\nL\nL\nb\n", ""},
		"a copy behind other lines":      {"a\nL\nb\n", "a\nO\nb\n", "a\nL\nmine\nL\nb\n", ""},
		"a copy was removed":             {"L\nL\nb\n", "L\nO\nb\n", "L\nb\n", ""},
		"the new lines before":           {"a\nL\nb\n", "a\nO\nb\n", "O\nL\nb\n", ""},
		"the new lines behind":           {"a\nL\nb\n", "a\nO\nb\n", "a\nL\nO\n", ""},
		"a part of the lines":            {"a\nL\nM\nb\n", "a\nO\nb\n", "a\nL\nM\nM\nb\n", "a\nO\nM\nb\n"},
		"a proposed line without an end": {"L\n", "O", "L\nmine\n", ""},
		"a replaced line without an end": {"a\nL", "a\nO", "a\nL\nmine", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := propose(patch.FileChange{Kind: patch.Update, Path: "f", Before: c.before, After: c.after})
			p.Settle("f", Current{Text: c.now, Exists: true})
			plan := planOne(t, p, []string{"f1h1"}, c.now)
			if c.want == "" {
				require.Equal(t, []string{"f1h1"}, plan.Conflicts)
				require.Equal(t, plan.Want, c.now, "nothing changes")
				return
			}
			require.Empty(t, plan.Conflicts)
			require.Equal(t, c.want, plan.Want)
			require.Equal(t, plan.Want, applied(t, plan))
			require.Equal(t, RiskRebased, plan.Edits[0].Risk)
			p.Confirm(plan, Current{Text: plan.Want, Exists: true})
			p.Settle("f", Current{Text: plan.Want, Exists: true})
			require.False(t, p.Open(), "it is accepted")
		})
	}
}

// besideHunks types lines between those of a text that hunks replace, and says what the text is when these are accepted.
func besideHunks(t *rapid.T, p *Proposal) (now, want string, conflicts []string) {
	f := &p.Files[0]
	n, at := 0, 0
	types := func() bool {
		if now != "" && patch.LineEnd(now) == "" || rapid.IntRange(0, 3).Draw(t, "types") > 0 {
			return false
		}
		n++
		line := fmt.Sprintf("%s%d\n", mine, n)
		now, want = now+line, want+line
		return true
	}
	keep := func(text string) (typedLast bool) {
		for _, line := range patch.SplitLines(text) {
			now, want = now+line, want+line
			typedLast = types()
		}
		return typedLast
	}
	last := types()
	for _, h := range f.Hunks {
		if between := f.Change.Before[at:h.Edit.Start]; between != "" {
			last = keep(between)
		}
		at = h.Edit.End
		old, before := f.Change.Before[h.Edit.Start:h.Edit.End], want
		now, want = now+old, want+h.Edit.New
		if old == "" {
			if last {
				conflicts, want = append(conflicts, h.ID), before
			}
			continue
		}
		mark := len(want)
		if last = types(); last && h.Edit.New != "" && patch.LineEnd(h.Edit.New) == "" {
			conflicts, want = append(conflicts, h.ID), before+old+want[mark:]
		}
	}
	keep(f.Change.Before[at:])
	return now, want, conflicts
}

// Whatever the user types between the lines of a text stays where it is, and beside it is exactly what was proposed.
func TestPlan_LosesNothingTypedBesideHunks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		from, to := text("from").Draw(t, "from"), text("to").Draw(t, "to")
		if from == to {
			t.Skip("nothing changes")
		}
		p := propose(patch.FileChange{Kind: patch.Update, Path: "f", Before: from, After: to})
		now, want, conflicts := besideHunks(t, p)
		var all []string
		for h := range p.hunks() {
			all = append(all, h.ID)
		}
		plan := planOne(t, p, all, now)
		require.ElementsMatch(t, conflicts, plan.Conflicts, "%q", now)
		require.Equal(t, want, plan.Want)
		typed, _ := apart(now)
		kept, _ := apart(plan.Want)
		require.Equal(t, typed, kept)
	})
}
