package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func part(id string, files string, dependsOn ...string) Part {
	return Part{
		ID: id, Title: "T", Objective: "O", Files: strings.Fields(files), DependsOn: dependsOn, Verify: []string{"it works"}, DoneWhen: "it is there",
	}
}

func TestPlan_Check(t *testing.T) {
	t.Parallel()
	with := func(change func(*Part)) Plan {
		p := part("a", "a.go")
		change(&p)
		return Plan{Parts: []Part{p}}
	}
	for fault, p := range map[string]Plan{
		"":                          {Parts: []Part{part("a", "a.go"), part("b", "b.go", "a")}},
		"0 parts: give between":     {},
		"61 parts: give between":    {Parts: slices.Repeat([]Part{part("a", "a.go")}, 61)},
		"two parts have the id a":   {Parts: []Part{part("a", "a.go"), part("a", "b.go")}},
		"a → b → a":                 {Parts: []Part{part("a", "a.go", "b"), part("b", "b.go", "a")}},
		"each other: a → a":         {Parts: []Part{part("a", "a.go", "a")}},
		`part "../x": its id`:       with(func(p *Part) { p.ID = "../x" }),
		`"objective" must not`:      with(func(p *Part) { p.Objective = " " }),
		`"verify" must say`:         with(func(p *Part) { p.Verify = nil }),
		"it names 0 files":          with(func(p *Part) { p.Files = nil }),
		"..":                        with(func(p *Part) { p.Files = []string{"../../etc/passwd"} }),
		"no slash at its end":       with(func(p *Part) { p.Files = []string{"a/"} }),
		"*.go is no file":           with(func(p *Part) { p.Files = []string{"*.go"} }),
		`its risk is "fatal"`:       with(func(p *Part) { p.Risk = "fatal" }),
		`its type is "deploy"`:      with(func(p *Part) { p.Type = "deploy" }),
		"it cannot take -1 minutes": with(func(p *Part) { p.Minutes = -1 }),
		"its id is reserved":        with(func(p *Part) { p.ID = "join-1" }),
		`"title" has 201 bytes`:     with(func(p *Part) { p.Title = strings.Repeat("x", 201) }),
		`"objective" has 4001`:      with(func(p *Part) { p.Objective = strings.Repeat("x", 4001) }),
		`"verify" has 501`:          with(func(p *Part) { p.Verify = []string{strings.Repeat("x", 501)} }),
		"and a sub-task have the id a.x": {Parts: []Part{
			with(func(p *Part) { p.SubTasks = []Sub{{"x", "T", "O", []string{"a.go"}}} }).Parts[0], part("a.x", "b.go"),
		}},
		"both change a.go": with(func(p *Part) {
			p.SubTasks = []Sub{{"x", "T", "O", []string{"a.go"}}, {"y", "T", "O", []string{"a.go"}}}
		}),
		"b.go is not among the file": with(func(p *Part) { p.SubTasks = []Sub{{"x", "T", "O", []string{"b.go"}}} }),
		"have the same id": with(func(p *Part) {
			p.Files = []string{"a", "b"}
			p.SubTasks = []Sub{{"x", "T", "O", []string{"a"}}, {"x", "T", "O", []string{"b"}}}
		}),
	} {
		err := p.Check()
		if fault == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, fault)
	}
}

func TestPlan_MendRepairsAPlan(t *testing.T) {
	t.Parallel()
	p := Plan{Parts: []Part{
		part("a", "shared.go a.go a.go"), part("b", "b.go", "a", "nobody"), part("c", "shared.go", "b"), part("d", "shared.go"),
	}}
	repaired, notes := Repair(p)
	require.Equal(t, []string{"shared.go", "a.go"}, repaired.Parts[0].Files)
	require.Equal(t, []string{"a"}, repaired.Parts[1].DependsOn)
	require.Equal(t, []string{"b"}, repaired.Parts[2].DependsOn, "it waits for a already, by way of b")
	require.Equal(t, []string{"a", "c"}, repaired.Parts[3].DependsOn)
	require.Equal(t, []string{
		"b does not wait for nobody: there is no such part", "d waits for a: both change shared.go", "d waits for c: both change shared.go",
	}, notes)
	require.Equal(t, []string{"a", "nobody"}, p.Parts[1].DependsOn, "the given plan stays")
}

func TestPlan_Tiers(t *testing.T) {
	t.Parallel()
	p := Plan{Parts: []Part{part("c", "c", "a", "b"), part("a", "a"), part("b", "b", "a"), part("d", "d")}}
	require.Equal(t, [][]int{{1, 3}, {2}, {0}}, p.Tiers())
	require.Equal(t, (3*(20+30+120+15)+59)/60, p.Minutes())
	p.Parts[0].Minutes = 30
	require.Equal(t, (2*(20+30+120+15)+30*60+59)/60, p.Minutes())
}

func TestPlan_FanOut(t *testing.T) {
	t.Parallel()
	split := part("api", "x y z", "base")
	split.SubTasks = []Sub{{"x", "X", "do x", []string{"x"}}, {"y", "Y", "do y", []string{"y"}}}
	single := part("one", "o")
	single.SubTasks = []Sub{{"o", "O", "do o", []string{"o"}}}
	p := Plan{Parts: []Part{part("base", "b"), split, part("use", "u", "api"), single}}
	out := FanOut(p)
	var ids, waits []string
	for _, part := range out.Parts {
		ids, waits = append(ids, part.ID), append(waits, strings.Join(part.DependsOn, "+"))
		require.Empty(t, part.SubTasks)
	}
	require.Equal(t, []string{"base", "api.x", "api.y", "use", "one"}, ids)
	require.Equal(t, []string{"", "base", "base", "api.x+api.y", ""}, waits)
	require.Equal(t, []string{"x", "z"}, out.Parts[1].Files, "a file that no part names is the first one's")
	require.Contains(t, out.Parts[1].Objective, "do x")
	require.NoError(t, out.Check())
}

// In any valid plan, parts that may be worked on at once share no file, and no part waits for a later tier.
func TestPlan_PartsThatWorkAtOnceShareNoFile(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var p Plan
		for i := range rapid.IntRange(1, 8).Draw(t, "parts") {
			one := part(fmt.Sprintf("p%d", i), "")
			one.Files = rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f"}), 1, 3).Draw(t, "files")
			for d := range 8 {
				if rapid.IntRange(0, 4).Draw(t, "waits") == 0 {
					one.DependsOn = append(one.DependsOn, fmt.Sprintf("p%d", d))
				}
			}
			p.Parts = append(p.Parts, one)
		}
		if p.Check() != nil {
			t.Skip("a planner would get an error")
		}
		repaired, _ := Repair(p)
		require.NoError(t, repaired.Check())
		before, tier := repaired.before(), map[int]int{}
		for n, parts := range repaired.Tiers() {
			for _, i := range parts {
				tier[i] = n
			}
		}
		require.Len(t, tier, len(p.Parts))
		for i := range repaired.Parts {
			for d := range before[i] {
				require.Less(t, tier[d], tier[i])
			}
			for j := range i {
				if !before[i][j] && !before[j][i] {
					require.Empty(t, common(repaired.Parts[i].Files, repaired.Parts[j].Files))
				}
			}
		}
	})
}

func TestPlan_Markdown(t *testing.T) {
	t.Parallel()
	one := part("a", "a.go")
	one.Title, one.Risk = "a | b\nc", "high"
	text := Plan{Parts: []Part{one, part("b", "b.go", "a")}}.Markdown([]string{"mind the gap"})
	require.Contains(t, text, `| 1 | a | a \| b c | a.go | – | high |`)
	require.Contains(t, text, "| 2 | b | T | b.go | a | – |")
	require.Contains(t, text, "Noted:\n- mind the gap\n")
}
