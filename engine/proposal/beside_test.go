package proposal

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/patch"
)

// Lines that the user types directly above or below a pending change leave it where it is, and stay where it is clear where they belong.
func TestPlan_BesideWhatWasTyped(t *testing.T) {
	t.Parallel()
	const (
		value   = "a\nold\nb\n"
		valued  = "a\nnew\nb\n"
		twoFunc = "func a() {\n}\n\nfunc b() {\n}\n"
		three   = "func a() {\n}\n\nfunc x() {\n}\n\nfunc b() {\n}\n"
		vars    = "var a = 1\nvar b = 2\n"
		varred  = "var a = 1\nvar x = 3\nvar b = 2\n"
	)
	for name, test := range map[string]struct {
		before, after, now string
		want               string // empty for a conflict
	}{
		"a line above replaced ones":             {value, valued, "a\nmine\nold\nb\n", "a\nmine\nnew\nb\n"},
		"a line below replaced ones":             {value, valued, "a\nold\nmine\nb\n", "a\nnew\nmine\nb\n"},
		"lines on both sides":                    {value, valued, "a\n1\nold\n2\nb\n", "a\n1\nnew\n2\nb\n"},
		"the line above changed":                 {value, valued, "A\nold\nb\n", "A\nnew\nb\n"},
		"the line below deleted":                 {value, valued, "a\nold\n", "a\nnew\n"},
		"a line above deleted ones":              {value, "a\nb\n", "a\nmine\nold\nb\n", "a\nmine\nb\n"},
		"between replaced lines":                 {"a\nold\nold 2\nb\n", valued, "a\nold\nmine\nold 2\nb\n", ""},
		"a copy of the replaced line":            {value, valued, "a\nold\nold\nb\n", ""},
		"a blank line above":                     {value, valued, "a\n\nold\nb\n", "a\n\nnew\nb\n"},
		"without a line end below":               {"a\nold", "a\nnew", "a\nold\nmine", ""},
		"a comment of the line below added ones": {twoFunc, three, strings.Replace(twoFunc, "func b", "// B is mine.\nfunc b", 1), strings.Replace(three, "func b", "// B is mine.\nfunc b", 1)},
		"a function where one is added":          {twoFunc, three, strings.Replace(twoFunc, "func b", "func m() {\n}\n\nfunc b", 1), strings.Replace(three, "func b", "func m() {\n}\n\nfunc b", 1)},
		"a line where one is added":              {vars, varred, strings.Replace(vars, "var b", "var m = 0\nvar b", 1), strings.Replace(varred, "var b", "var m = 0\nvar b", 1)},
		"a line where a comment is added":        {vars, strings.Replace(vars, "var b", "// B is 2.\nvar b", 1), strings.Replace(vars, "var b", "var m = 0\nvar b", 1), "var a = 1\nvar m = 0\n// B is 2.\nvar b = 2\n"},
		"behind the end, where lines are added":  {"func a() {\n}\n", "func a() {\n}\n\nfunc x() {\n}\n", "func a() {\n}\nvar m = 0\n", "func a() {\n}\nvar m = 0\n\nfunc x() {\n}\n"},
		"the line below added ones changed":      {vars, varred, strings.Replace(vars, "b = 2", "b = 20", 1), strings.Replace(varred, "b = 2", "b = 20", 1)},
		"the line above added ones changed":      {vars, varred, strings.Replace(vars, "a = 1", "a = 10", 1), strings.Replace(varred, "a = 1", "a = 10", 1)},
		"a copy of the line above added ones":    {vars, varred, "var a = 1\nvar a = 1\nvar b = 2\n", ""},
		"a comment in place of the line above":   {twoFunc, three, strings.Replace(twoFunc, "}\n\n", "} // mine\n// mine, too\n", 1), ""},
		"the body of what the added lines end":   {"func a() {\n\tf()\n}\n", "func a() {\n\tf()\n}\n\nfunc x() {\n\tg()\n}\n", "func a() {\n\tf()\n\tmine()\n}\n", "func a() {\n\tf()\n\tmine()\n}\n\nfunc x() {\n\tg()\n}\n"},
		"inside of what the added lines end":     {"{\n\tname: b\n},\n", "{\n\tname: x\n},\n{\n\tname: b\n},\n", "{\n\tsize: 1\n\tname: b\n},\n", ""},
		"the beginning of a block":               {vars, varred, "var a = 1\nif m {\nvar b = 2\n}\n", ""},
		"what continues the line above":          {"if a:\n  f\nend\n", "if a:\n  f\nx\nend\n", "if a:\n  f\nelse:\n  m\nend\n", ""},
		"on another level":                       {vars, varred, "var a = 1\n\tmine\nvar b = 2\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := propose(patch.FileChange{Kind: patch.Update, Path: "f", Before: test.before, After: test.after})
			p.Settle("f", Current{Text: test.now, Exists: true})
			plans, err := p.Plan([]string{"f1h1"}, files(map[string]string{"f": test.now}))
			require.NoError(t, err)
			plan := plans[0]
			if test.want == "" {
				require.Equal(t, []string{"f1h1"}, plan.Conflicts)
				require.Equal(t, plan.Want, test.now)
				return
			}
			require.Empty(t, plan.Conflicts)
			require.Equal(t, test.want, plan.Want)
			require.Equal(t, plan.Want, applied(t, plan))
			require.Equal(t, RiskRebased, plan.Edits[0].Risk)

			p.Confirm(plan, Current{Text: plan.Want, Exists: true})
			p.Settle("f", Current{Text: plan.Want, Exists: true})
			require.False(t, p.Open(), "it is accepted")
		})
	}
}

// Wherever the user types lines of their own, only a change between whose lines they are loses its place.
func TestPlan_KeepsThePlacesOfAllThatIsNotTypedIn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawDistinct(t)
		lines := patch.SplitLines(p.Files[0].Change.Before)
		at, offset := rapid.IntRange(0, len(lines)).Draw(t, "at"), 0
		for _, line := range lines[:at] {
			offset += len(line)
		}
		var all, inside []string
		for h := range p.hunks() {
			all = append(all, h.ID)
			if h.Edit.Start < offset && offset < h.Edit.End {
				inside = append(inside, h.ID)
			}
		}
		plan := planOne(t, p, all, strings.Join(slices.Insert(lines, at, "mine\n"), ""))
		require.Equal(t, inside, plan.Conflicts)
		rest := strings.Replace(plan.Want, "mine\n", "", 1)
		require.Len(t, rest, len(plan.Want)-len("mine\n"), "the user's line is kept")
		if len(inside) == 0 {
			require.Equal(t, p.Files[0].Change.After, rest)
		}
	})
}
