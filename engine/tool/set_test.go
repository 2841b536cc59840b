package tool

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSets_AreThoseOfTheDesign(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		"read_file", "search_code", "symbol_list", "import_graph", "run_tests", "lint_check", "git_log", "git_diff", "repo_map",
		"discover_context", "past_runs", "playbooks",
	}, Providers().Names())
	require.Equal(t, []string{
		"read_file", "write_file", "edit_file", "delete_file", "move_file", "list_dir", "glob", "grep", "apply_patch", "rename", "replace_all", "run_command",
		"run_tests", "git_status", "git_diff", "git_branch", "ask_user", "web.search", "web.fetch", "web.browse",
	}, Tools().Names())
	require.Len(t, All(), 29)
	for _, p := range Providers() {
		require.False(t, p.Mutates() || p.AnsweredByUser, p.Name)
	}
}

// A set of all tools has one schema for all arguments: a tool takes no argument of another.
func TestSets_EveryArgumentIsOneOfArgs(t *testing.T) {
	t.Parallel()
	kinds := func(schema json.RawMessage) map[string]any {
		var s struct{ Properties map[string]map[string]any }
		require.NoError(t, json.Unmarshal(schema, &s))
		found := map[string]any{}
		for name, p := range s.Properties {
			found[name] = kindIn(p)
		}
		return found
	}
	common := define(Tool{}, func(_ context.Context, _ World, _ Args) (Result, error) { return Result{}, nil })
	all := kinds(common.Schema)
	for _, tool := range All() {
		for name, kind := range kinds(tool.Schema) {
			require.Equal(t, all[name], kind, "%s of %s", name, tool.Name)
		}
	}
}

// kindIn is the type of a property, whether or not it may be null.
func kindIn(property map[string]any) any {
	if several, is := property["type"].([]any); is {
		return several[0]
	}
	return property["type"]
}
