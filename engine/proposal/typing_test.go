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

// slow is the rule by which hunks are settled and placed, without anything that makes it fast: it compares whole texts for each hunk.
type slow struct{ *File }

func (f slow) settleText(text string) (exactly bool) {
	if settler(f).settleExactly(text) {
		return true
	}
	settler(f).findGrounds(text)
	in := f.in(Accepted)
	for range f.Hunks {
		if !f.round(in, text) {
			break
		}
	}
	for i := range f.Hunks {
		f.Hunks[i].settled(in[i])
	}
	return false
}

func (f slow) round(in []bool, text string) (changed bool) {
	order := indexes(slices.Repeat([]bool{true}, len(f.Hunks)))
	slices.SortStableFunc(order, func(a, b int) int {
		return weight(f.Change.Before, f.Hunks[b].Edit) - weight(f.Change.Before, f.Hunks[a].Edit)
	})
	for _, i := range order {
		if there := f.present(i, in, text); there != in[i] {
			in[i], changed = there, true
		}
	}
	return changed
}

func (f slow) present(i int, in []bool, text string) bool {
	with := slices.Clone(in)
	with[i] = false
	gain := distance(f.with(with), text)
	with[i] = true
	gain -= distance(f.with(with), text)
	if f.Hunks[i].State == Accepted {
		return gain >= 0
	}
	return gain > 0 && gain == weight(f.Change.Before, f.Hunks[i].Edit)
}

func (f slow) releaseConflicts(text string) {
	for i := range f.Hunks {
		if f.Hunks[i].State != Conflict {
			continue
		}
		plan := FilePlan{Current: Current{Text: text, Exists: true}}
		probe := f.clone()
		slow{&probe}.planUpdate(&plan, []int{i})
		if len(plan.Conflicts) == 0 {
			f.Hunks[i].State = Pending
		}
	}
}

func (f slow) planUpdate(plan *FilePlan, chosen []int) {
	f.settleText(plan.Current.Text)
	in := f.in(Accepted)
	text := f.with(in)
	typed := joinTouching(patch.Diff(text, plan.Current.Text))
	for _, i := range chosen {
		if in[i] {
			continue
		}
		here := shift(f.Hunks[i].Edit, f.edits(append(slices.Clone(in[:i]), make([]bool, len(in)-i)...)))
		if near := touching(typed, here); len(near) > 0 && !beside(text, here, near) {
			f.conflict(plan, i)
			continue
		}
		plan.add(f.Hunks[i], shift(here, typed), len(typed) > 0)
	}
	plan.finish()
}

// retyped draws what the user made of a text: lines of their own and of the text put in, moved and taken out.
func retyped(t *rapid.T, base string) string {
	lines := patch.SplitLines(base)
	for range rapid.IntRange(0, 4).Draw(t, "edits") {
		at := rapid.IntRange(0, len(lines)).Draw(t, "at")
		end := min(len(lines), at+rapid.IntRange(0, 3).Draw(t, "lines"))
		taken := slices.Clone(lines[at:end])
		switch rapid.IntRange(0, 3).Draw(t, "edit") {
		case 0:
			lines = slices.Insert(lines, at, rapid.SampledFrom([]string{"mine\n", "a\n", "}\n", "\n", "\r\n", "\r", "end"}).Draw(t, "line"))
		case 1:
			lines = slices.Delete(lines, at, end)
		case 2:
			lines = slices.Insert(lines, end, taken...)
		default:
			lines = slices.Delete(lines, at, end)
			lines = slices.Insert(lines, rapid.IntRange(0, len(lines)).Draw(t, "to"), taken...)
		}
	}
	return strings.Join(lines, "")
}

// drawDecided draws a changed file of which the user has split and rewritten hunks, with any states, and a text that it may have.
func drawDecided(t *rapid.T) (f File, now string) {
	p := drawUpdate(t)
	if rapid.Bool().Draw(t, "distinct") {
		p = drawDistinct(t)
	}
	current := func(string) (Current, error) {
		f := &p.Files[0]
		return Current{Text: retyped(t, f.with(chosen(t, f))), Exists: true}, nil
	}
	for range rapid.IntRange(0, 2).Draw(t, "decisions") {
		text, _, err := p.Proposed("f", current)
		require.NoError(t, err)
		if rapid.Bool().Draw(t, "amends") {
			require.NoError(t, p.Amend("f", retyped(t, text), current))
			continue
		}
		at := rapid.IntRange(0, strings.Count(text, "\n")).Draw(t, "from")
		_, _ = p.SelectLines(Lines{Path: "f", Start: at, End: at + rapid.IntRange(1, 3).Draw(t, "count")}, current) // there may be none
	}
	f = p.Files[0]
	for i := range f.Hunks {
		f.Hunks[i].State = rapid.SampledFrom([]State{Pending, Pending, Accepted, Accepted, Rejected, Conflict}).Draw(t, "state")
	}
	file, _ := current("")
	return f, file.Text
}

func chosen(t *rapid.T, f *File) []bool {
	return rapid.SliceOfN(rapid.Bool(), len(f.Hunks), len(f.Hunks)).Draw(t, "in")
}

// Files are settled, and hunks placed, as if whole texts were compared for each hunk.
func TestSettle_IsThatOfWholeTexts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f, now := drawDecided(t)
		if f.Change.Kind != patch.Update {
			t.Skip("it is one hunk")
		}
		quick, model := f.clone(), f.clone()
		require.Equal(t, slow{&model}.settleText(now), settler{&quick}.settleText(now))
		slow{&model}.releaseConflicts(now)
		settler{&quick}.releaseConflicts(now)
		require.Equal(t, model, quick, "%q", now)

		chosen := indexes(chosen(t, &f))
		got, want := FilePlan{Current: Current{now, true}}, FilePlan{Current: Current{now, true}}
		quick, model = f.clone(), f.clone()
		slow{&model}.planUpdate(&want, chosen)
		quick.planUpdate(&got, chosen)
		require.Equal(t, want, got, "%q", now)
	})
}

// renaming is a proposal that renames a name in every twentieth line of a file, and the lines of the file.
func renaming(hunks int) (p *Proposal, lines []string) {
	var renamed []string
	for i := range 20 * hunks {
		line := fmt.Sprintf("\tline %d of a file that is long, with some code in it\n", i)
		lines = append(lines, line)
		if i%20 == 7 {
			line = strings.Replace(line, "line", "row", 1)
		}
		renamed = append(renamed, line)
	}
	return propose(patch.FileChange{Kind: patch.Update, Path: "f", Before: strings.Join(lines, ""), After: strings.Join(renamed, "")}), lines
}

// What the user types elsewhere needs no comparison of whole texts for a hunk, pending or accepted.
func TestSettle_ComparesTextsOnlyForHunksThatMayHaveChanged(t *testing.T) {
	t.Parallel()
	p, lines := renaming(20)
	f := &p.Files[0]
	for _, state := range []State{Pending, Accepted} {
		for i := range f.Hunks {
			f.Hunks[i].State = state
		}
		for name, typed := range map[string][]string{"put in": {lines[0], "}\n"}, "changed": {"mine\n"}, "removed": nil} {
			now := strings.Replace(f.with(f.in(Accepted)), lines[0], strings.Join(typed, ""), 1)
			c := settler{f}.compareWith(now, f.in(Accepted))
			c.text = []int{-1} // to compare it panics
			require.False(t, c.round(), name)
		}
	}
	now := f.with(f.in(Accepted))
	f.Hunks[0].State = Pending
	c := settler{f}.compareWith(now, f.in(Accepted))
	c.text = []int{-1}
	require.Panics(t, func() { c.round() }, "the twin: whole texts are compared for the hunk that came into the text")
}

// BenchmarkTyping does what fronts do after each key: they settle a file, place its open hunks, and read its proposed text.
func BenchmarkTyping(b *testing.B) {
	for name, c := range map[string]struct {
		hunks int
		typed func(lines []string) []string
	}{
		"1000 hunks/a typed line": {1000, func(lines []string) []string { return slices.Insert(lines, 10, "mine\n") }},
		"1000 hunks/30 lines moved": {1000, func(lines []string) []string {
			return slices.Concat(lines[:110], lines[140:9970], lines[110:140], lines[9970:])
		}},
		"100 hunks/in conflict": {100, func(lines []string) []string {
			for i := range 100 {
				lines[20*i+7] = "mine\n"
			}
			return lines
		}},
	} {
		p, lines := renaming(c.hunks)
		now := Current{Text: strings.Join(c.typed(lines), ""), Exists: true}
		current := func(string) (Current, error) { return now, nil }
		ids, err := p.Select(Selection{})
		require.NoError(b, err)
		if strings.HasSuffix(name, "conflict") {
			p.MarkConflict(ids)
		}
		b.Run(name, func(b *testing.B) {
			for range b.N {
				p.Clone().Settle("f", now)
				_, err := p.Plan(ids, current)
				require.NoError(b, err)
				_, _, err = p.Proposed("f", current)
				require.NoError(b, err)
			}
		})
		b.Run(name+"/by whole texts", func(b *testing.B) {
			for range b.N {
				f := p.Files[0].clone()
				slow{&f}.settleText(now.Text)
				slow{&f}.releaseConflicts(now.Text)
			}
		})
	}
}
