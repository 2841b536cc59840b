package lsp_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
	"forge/engine/tool"
)

func TestExplore_AnswersAsAModelIsAnswered(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, map[string]string{"a.py": "one\n", "b.py": "two\n"}, &fakeEngine{})
		d.Open(d.uri("b.py"), "python", "three\n")
		var got api.ExploreResult
		require.NoError(t, d.execute(api.Explore, api.ExploreArgs{Provider: "read_file", Path: "a.py", Start: 3}, &got))
		require.Equal(t, `read_file {"provider":"read_file","path":"a.py","start":3} [b.py]`, got.Text)
		require.True(t, got.Cut)
		for name, args := range map[string]any{
			"no provider":       nil,
			"none of that name": api.ExploreArgs{Provider: "rm"},
			"an unknown folder": api.ExploreArgs{Provider: "git_log", InFolder: api.InFolder{Folder: "file:///elsewhere"}},
		} {
			require.Error(t, d.execute(api.Explore, args, &got), name)
		}
	})
}

// Providers and the arguments of the command are the same, wherever either grows.
func TestExplore_KnowsAllProviders(t *testing.T) {
	t.Parallel()
	for _, p := range tool.Providers() {
		_, err := api.Decode(api.Explore, []([]byte){[]byte(`{"provider":"` + p.Name + `"}`)})
		require.NoError(t, err, p.Name)
	}
}
