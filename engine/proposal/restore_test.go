package proposal

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/patch"
)

// restoring proposes to restore a text.
func restoring(from, to string) *Proposal {
	p := propose(patch.FileChange{Kind: patch.Update, Path: "f", Before: from, After: to})
	p.Restores()
	return p
}

// An undo takes its lines back beside lines that the user has put directly before or behind them, unless the text does not show which lines
// are the user's, or in which order lines come.
func TestRestores_BesideTypedLines(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		from, to, now, want string // want is empty for a conflict
	}{
		"behind":                         {"a\nL\nb\n", "a\nO\nb\n", "a\nL\nmine\nb\n", "a\nO\nmine\nb\n"},
		"before":                         {"a\nL\nb\n", "a\nO\nb\n", "a\nmine\nL\nb\n", "a\nmine\nO\nb\n"},
		"on both sides":                  {"a\nL\nb\n", "a\nb\n", "a\nmine\nL\nmine\nb\n", "a\nmine\nmine\nb\n"},
		"at the ends of a file":          {"L\n", "O\n", "mine\nL\nmine\n", "mine\nO\nmine\n"},
		"in the lines":                   {"a\nL\nM\nb\n", "a\nb\n", "a\nL\nmine\nM\nb\n", ""},
		"a line was changed":             {"a\nL\nM\nb\n", "a\nb\n", "a\nL\nmine\nb\n", ""},
		"the line beside was changed":    {"a\nL\nb\n", "a\nO\nb\n", "a\nL\nmine\n", ""},
		"two lines come to one place":    {"a\nb\n", "a\nO\nb\n", "a\nmine\nb\n", ""},
		"a copy of the lines":            {"a\nL\nb\n", "a\nO\nb\n", "a\nL\nL\nb\n", ""},
		"a copy behind other lines":      {"a\nL\nb\n", "a\nO\nb\n", "a\nL\nmine\nL\nb\n", ""},
		"a part of the lines":            {"a\nL\nM\nb\n", "a\nO\nb\n", "a\nL\nM\nM\nb\n", "a\nO\nM\nb\n"},
		"an old line without a line end": {"L\n", "O", "L\nmine\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := planOne(t, restoring(c.from, c.to), []string{"f1h1"}, c.now)
			if c.want == "" {
				require.Equal(t, []string{"f1h1"}, plan.Conflicts)
				require.Equal(t, c.now, plan.Want)
				return
			}
			require.Empty(t, plan.Conflicts)
			require.Equal(t, c.want, plan.Want)
		})
	}
}

// A run's own hunk beside a typed line stays a conflict: no gate has seen the two together.
func TestPlan_ARunsHunkBesideATypedLineIsAConflict(t *testing.T) {
	t.Parallel()
	p := propose(patch.FileChange{Kind: patch.Update, Path: "f", Before: "a\nL\nb\n", After: "a\nO\nb\n"})
	require.Equal(t, []string{"f1h1"}, planOne(t, p, []string{"f1h1"}, "a\nL\nmine\nb\n").Conflicts)
}

// besideHunks types lines between those of a text that hunks replace, and says what the text is when these are restored.
func besideHunks(t *rapid.T, p *Proposal) (now, want string, conflicts []string) {
	f := &p.Files[0]
	n, at := 0, 0
	type_ := func() bool {
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
			typedLast = type_()
		}
		return typedLast
	}
	last := type_()
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
		if last = type_(); last && h.Edit.New != "" && patch.LineEnd(h.Edit.New) == "" {
			conflicts, want = append(conflicts, h.ID), before+old+want[mark:]
		}
	}
	keep(f.Change.Before[at:])
	return now, want, conflicts
}

// Whatever the user typed between the lines of a run stays where it is, and an undo restores exactly the text from before.
func TestRestores_LosesNothingTyped(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		from, to := text("from").Draw(t, "from"), text("to").Draw(t, "to")
		if from == to {
			t.Skip("nothing changes")
		}
		p := restoring(from, to)
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
