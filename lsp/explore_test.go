package lsp_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/uri"

	"forge/engine/tool"
	"forge/lsp/command"
)

func TestExplore(t *testing.T) {
	t.Parallel()
	r := read(t, map[string]string{"a.py": "one\n"})
	var got command.ExploreResult
	require.NoError(t, r.execute(command.Explore, command.ExploreArgs{Provider: "read_file", Path: "a.py", Start: 3}, &got))
	require.Equal(t, command.ExploreResult{
		Folder: string(uri.File(r.root)), Provider: "read_file", Cut: true,
		Text: `read_file {"provider":"read_file","path":"a.py","start":3} []`,
	}, got)
	for name, args := range map[string]any{
		"no provider":       nil,
		"none of that name": command.ExploreArgs{Provider: "rm"},
		"an unknown folder": command.ExploreArgs{Provider: "git_log", Folder: "file:///elsewhere"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Error(t, r.execute(command.Explore, args, &got))
		})
	}
}

// Providers and the arguments of the command are the same, wherever either grows.
func TestExploreKnowsAllProviders(t *testing.T) {
	t.Parallel()
	for _, p := range tool.Providers() {
		_, err := command.Decode(command.Explore, []([]byte){[]byte(`{"provider":"` + p.Name + `"}`)})
		require.NoError(t, err, p.Name)
	}
}
