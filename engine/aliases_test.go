package engine

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/execution"
	"forge/engine/mode"
	"forge/memory"
)

var updateAliases = flag.Bool("update", false, "rewrite testdata/aliases.txt")

// aliasesFile has what each name chooses. It was written before the names came into one table, and keeps them from changing what they mean.
const aliasesFile = "testdata/aliases.txt"

func TestAliases_KeepTheirMeaning(t *testing.T) {
	t.Parallel()
	got := domainsOfTasks(t) + profilesOfRecipes()
	if *updateAliases {
		require.NoError(t, os.WriteFile(aliasesFile, []byte(got), 0o600))
	}
	want, err := os.ReadFile(aliasesFile)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// domainsOfTasks is what recipe, mode and profile a task has in each domain, and what it is taken for.
func domainsOfTasks(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, task := range []string{
		"fix the crash in pay/a.go", "refactor a.go: extract Rate and rename Total", "raise test coverage, with unit tests", "add a Sum to a.go and b.go: create it",
		"optimise the slow search in index.go, its latency is a problem", "set up and configure CI", "is there an Add?", "hello", "make it green",
	} {
		for _, domain := range []string{"", "code_generation", "research", "code_review", "documentation", "generic"} {
			for _, name := range []string{"", "heavy", "plan"} {
				r, err := Request{Task: task, Domain: domain, Mode: name}.settled(Settings{})
				require.NoError(t, err)
				p := execution.Params{Task: task, Recipe: r.Recipe, Mode: r.Mode}
				c, way := mode.Classify(mode.Request{Text: task, Kind: mode.Recipe(r.Recipe).Kind()}), p.Way()
				fmt.Fprintf(&b, "%q domain=%s mode=%s: %s %s %s, %s %s %.2f tests=%t review=%t, doubtful=%t\n", task, domain, name,
					cmp.Or(r.Recipe, "-"), way.Mode, cmp.Or(way.Profile, "-"), memory.Key(string(c.Kind), c.Scope), c.Certainty(), c.Confidence, c.RequiresTests, c.RequiresReview,
					recipeOf(r) == mode.Ask)
			}
		}
	}
	return b.String()
}

// profilesOfRecipes is how a change is asked for by each profile, in each mode and for each recipe.
func profilesOfRecipes() string {
	var b strings.Builder
	for _, profile := range append([]mode.Profile{""}, mode.Profiles()...) {
		for _, m := range mode.Modes() {
			for _, recipe := range mode.Recipes() {
				some, all := mode.Choose(profile, m, recipe, false), mode.Choose(profile, m, recipe, true)
				fmt.Fprintf(&b, "profile=%s %s %s: %s %t, where tests are needed %s %t\n", profile, m.Name, recipe, some.Profile, some.RedTests, all.Profile, all.RedTests)
			}
		}
	}
	return b.String()
}
