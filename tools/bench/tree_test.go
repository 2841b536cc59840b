package main

import (
	"context"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// foundSymbol is an answer that has every symbol in both files of the tree that matter.
func foundSymbol(params json.RawMessage) json.RawMessage {
	var asked struct{ Query string }
	_ = json.Unmarshal(params, &asked)
	symbol := func(file string) any {
		return map[string]any{"name": "pkg." + asked.Query, "location": map[string]any{"uri": "file:///src/" + file}}
	}
	answer, _ := json.Marshal([]any{symbol(treeFile), symbol(treeOpen)})
	return answer
}

func TestTree_TheTreeIsMeasured(t *testing.T) {
	t.Parallel()
	b := fake(t, "finds everything", "finds everything")
	var forge, gopls treeFigures
	require.NoError(t, b.treeOnce(t.Context(), b.forge, b.workspace, &forge))
	require.NoError(t, b.treeOnce(t.Context(), b.gopls, b.workspace, &gopls))
	for _, f := range []treeFigures{forge, gopls} {
		require.Len(t, f.first, 1)
		require.Len(t, f.complete, 1)
		require.Len(t, f.warm, 1)
		require.Len(t, f.memory, 1)
		require.Len(t, f.symbols, treeQueries)
		require.Len(t, f.unsaved, treeEdits)
	}
	require.Len(t, forge.requests, treeQueries)
	require.Empty(t, gopls.requests, "only Forge is asked in words")
}

// The twin: a server that finds nothing is not quick.
func TestTree_AServerThatFindsNothingIsNotMeasured(t *testing.T) {
	t.Parallel()
	b := fake(t, "finds nothing", "finds nothing")
	for _, p := range []program{b.forge, b.gopls} {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		var f treeFigures
		require.Error(t, b.treeOnce(ctx, p, b.workspace, &f))
		cancel()
		require.Empty(t, f.first)
	}
}

// A folder that is none has no tags, whether ctags is installed or not.
func TestTree_TagsOfNoFolder(t *testing.T) {
	t.Parallel()
	tags, err := timeTags(t.Context(), os.DevNull)
	require.NotEmpty(t, tags.none)
	if tags.none != "not there" || err != nil {
		require.Error(t, err)
	}
}
