package mode

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// The table is a promise to people: each of its figures is written down a second time here.
func TestMode_Table(t *testing.T) {
	t.Parallel()
	var rows []string
	for _, m := range Modes() {
		row := fmt.Sprintf("%s %d/%d/%s", m.Name, m.Turns, m.ValidationRetries, m.MaxAutoRisk)
		if m.Answers() {
			row += " answers"
		}
		if m.Offline {
			row += " offline"
		}
		if m.Profile != "" {
			row += " " + string(m.Profile)
		}
		rows = append(rows, row)
	}
	require.Empty(t, cmp.Diff([]string{
		"fast 2/0/low",
		"balanced 4/1/medium",
		"heavy 8/2/high tooluse",
		"execute 4/1/medium",
		"debug 6/2/medium tooluse",
		"architect 3/1/medium",
		"offline-safe 3/1/medium offline",
		"plan 0/0/low answers",
		"audit 3/0/low answers",
	}, rows))
}

func TestMode_EveryModeHasADescription(t *testing.T) {
	t.Parallel()
	for _, m := range Modes() {
		require.NotEmpty(t, m.Summary, m.Name)
		require.True(t, strings.HasPrefix(m.Layer, "Mode: "+string(m.Name)+". "), m.Layer)
		require.Equal(t, m.Answers(), strings.Contains(m.Layer, "Nothing may be changed."), m.Name)
		require.False(t, m.Automatic(Critical), "a critical change always needs the question")
	}
}

func TestMode_Lookup(t *testing.T) {
	t.Parallel()
	for _, m := range Modes() {
		found, err := Lookup(string(m.Name))
		require.NoError(t, err)
		require.Equal(t, m, found)
	}
	none, err := Lookup("")
	require.NoError(t, err)
	require.Equal(t, Balanced, none.Name)

	_, err = Lookup("Turbo")
	require.ErrorContains(t, err, `there is no mode "Turbo": choose fast, `)
	for _, m := range Modes() {
		require.ErrorContains(t, err, string(m.Name))
	}
	var unknown *UnknownError
	require.ErrorAs(t, err, &unknown)
}

func TestMode_RecipesAndProfilesAreFound(t *testing.T) {
	t.Parallel()
	for _, r := range Recipes() {
		found, err := LookupRecipe(string(r))
		require.NoError(t, err)
		require.Equal(t, r, found)
		require.NotEmpty(t, r.Summary())
	}
	none, err := LookupRecipe("")
	require.NoError(t, err)
	require.Equal(t, Implement, none)
	_, err = LookupRecipe("compile")
	require.EqualError(t, err, `there is no recipe "compile": choose implement, fix, tdd, refactor, test or document`)

	for _, p := range Profiles() {
		found, err := LookupProfile(string(p))
		require.NoError(t, err)
		require.Equal(t, p, found)
	}
	for _, d := range Domains() {
		found, err := LookupDomain(string(d))
		require.NoError(t, err)
		require.Equal(t, string(d), found.Means().Name)
	}
	require.Equal(t, Alias{}, Domain("").Means())

	_, err = LookupProfile("magic")
	require.EqualError(t, err, `there is no profile "magic": choose completion, tdd or tooluse`)
}

func TestMode_Choose(t *testing.T) {
	t.Parallel()
	const red = true
	for name, c := range map[string]struct {
		asked    Profile
		mode     Name
		recipe   Recipe
		requires bool
		want     Way
	}{
		"a feature":                           {"", Balanced, Implement, true, Way{TestsFirst, red}},
		"a question of setup":                 {"", Balanced, Implement, false, Way{Completion, false}},
		"a fix in a hurry":                    {"", Fast, Fix, true, Way{TestsFirst, red}},
		"tdd whatever the task is":            {"", Balanced, TDD, false, Way{TestsFirst, red}},
		"a refactoring has no red tests":      {"", Balanced, Refactor, true, Way{Completion, false}},
		"nor where somebody asks for them":    {TestsFirst, Balanced, Refactor, true, Way{Completion, false}},
		"tests for what is there":             {TestsFirst, Balanced, Test, true, Way{Completion, false}},
		"documentation":                       {"", Heavy, Document, false, Way{ToolUse, false}},
		"hard work is done turn by turn":      {"", Heavy, Implement, true, Way{ToolUse, red}},
		"so is debugging":                     {"", Debug, Fix, true, Way{ToolUse, red}},
		"somebody asks for turns":             {ToolUse, Fast, Implement, true, Way{ToolUse, red}},
		"somebody asks for tests first":       {TestsFirst, Heavy, Implement, false, Way{TestsFirst, red}},
		"somebody wants no tests first":       {Completion, Heavy, Implement, true, Way{Completion, false}},
		"but asked for tdd by another name":   {Completion, Balanced, TDD, true, Way{TestsFirst, red}},
		"turns and tdd do not exclude others": {ToolUse, Balanced, TDD, false, Way{ToolUse, red}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := Lookup(string(c.mode))
			require.NoError(t, err)
			require.Equal(t, c.want, Choose(c.asked, m, c.recipe, c.requires))
		})
	}
}

func TestMode_Automatic(t *testing.T) {
	t.Parallel()
	fast, _ := Lookup("fast")
	heavy, _ := Lookup("heavy")
	require.True(t, fast.Automatic(Low))
	require.False(t, fast.Automatic(Medium))
	require.True(t, heavy.Automatic(High))
	require.False(t, heavy.Automatic(Critical))
	require.Equal(t, "critical", Risk(9).String(), "an unknown risk is the gravest")
	require.False(t, heavy.Automatic(Risk(9)))
	require.False(t, heavy.Suggested().Automatic(High), "who is less trusted allows no more than usual")
	require.Equal(t, fast, fast.Suggested())
	require.Equal(t, heavy.Turns, heavy.Suggested().Turns)
}

// The document about modes matches their values.
func TestMode_TheDocumentIsTrue(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/modes.md")
	require.NoError(t, err)
	for _, m := range Modes() {
		require.Contains(t, string(text), fmt.Sprintf("| %s | %d | %d | %s | %s |\n", m.Name, m.Turns, m.ValidationRetries, m.MaxAutoRisk, m.Summary))
	}
	for _, p := range Profiles() {
		require.Contains(t, string(text), fmt.Sprintf("- `%s` asks ", p))
	}
	for _, r := range Recipes() {
		require.Contains(t, string(text), fmt.Sprintf("`%s`", r))
	}
	for _, d := range Domains() {
		require.Regexp(t, fmt.Sprintf(`(?m)^\| %s \| .*%s.* \| %s \|$`, d, d.Means().Recipe, d.Means().Summary), string(text))
	}
}
