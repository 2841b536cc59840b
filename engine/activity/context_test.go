package activity

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/step"
	"forge/patch"
)

// contextOf is what a model is shown of a tree with these files.
func contextOf(t *testing.T, k Kit, files map[string]string, c step.ContextCall) step.Context {
	t.Helper()
	k.Trees = &Trees{Open: func(context.Context, string) (Tree, error) { return &shelf{files: files}, nil }}
	shown, err := k.context(t.Context(), c)
	require.NoError(t, err)
	return shown
}

func paths(files []step.File) []string {
	var found []string
	for _, f := range files {
		found = append(found, f.Path)
	}
	return found
}

func TestContext_SmallTreeIsShownWhole(t *testing.T) {
	t.Parallel()
	k := Kit{Pack: func(context.Context, Need) (Packed, error) { panic("an index is asked for nothing") }}
	shown := contextOf(t, k, map[string]string{"a": "nothing", "b": "needle", "c": "x", "bin": "\xff"}, step.ContextCall{Task: "find the needle", Focus: "c"})
	require.True(t, shown.Whole)
	require.Equal(t, []string{"c", "b", "a"}, paths(shown.Files), "what was pointed at, what has words of the task, the rest")
	require.Equal(t, step.Listing{Paths: []string{"a", "b", "bin", "c"}, Total: 4}, shown.Listing)
	require.Empty(t, shown.Simple)
}

func TestContext_LargeTreeIsShownInPart(t *testing.T) {
	t.Parallel()
	large := map[string]string{"a": strings.Repeat("x", maxWholeBytes), "b": "needle"}
	many := map[string]string{}
	for i := range maxWholeFiles + 1 {
		many[strings.Repeat("f", i+1)] = "x"
	}
	for name, files := range map[string]map[string]string{"by bytes": large, "by files": many} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.False(t, contextOf(t, Kit{}, files, step.ContextCall{Task: "needle"}).Whole)
		})
	}
	require.False(t, contextOf(t, Kit{}, map[string]string{"a": strings.Repeat("x", 100)}, step.ContextCall{Most: 20}).Whole, "there is no room for it")
}

// Without a ready index, words choose, and the user is notified.
func TestContext_WithoutAnIndexWordsChoose(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a": strings.Repeat("x\n", maxWholeBytes), "b": "needle", "c": "needle needle", "d": strings.Repeat("needle ", 4000)}
	for name, k := range map[string]Kit{
		"there is none": {},
		"not ready": {Pack: func(context.Context, Need) (Packed, error) {
			return Packed{Why: "the folder is still being indexed"}, nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var noticed []string
			k.Notice = func(text string) { noticed = append(noticed, text) }
			shown := contextOf(t, k, files, step.ContextCall{Task: "find the needle", Most: 500})
			require.Equal(t, []string{"c", "b"}, paths(shown.Files), "the best one is too large")
			shown = contextOf(t, k, files, step.ContextCall{Task: "find the needle", Most: 8000})
			require.Equal(t, []string{"d", "c", "b"}, paths(shown.Files))
			require.NotEmpty(t, shown.Simple)
			require.Len(t, noticed, 2)
			require.Contains(t, noticed[0], shown.Simple)
		})
	}
}

func TestContext_IndexChooses(t *testing.T) {
	t.Parallel()
	var asked Need
	want := []step.File{{Path: "z", Text: "zed", Tier: step.TierDependency}}
	k := Kit{Pack: func(_ context.Context, n Need) (Packed, error) {
		asked = n
		return Packed{Files: want, Map: "map"}, nil
	}}
	changes := []patch.ChangeSet{
		{Files: []patch.FileChange{{Kind: patch.Create, Path: "new"}, {Kind: patch.Create, Path: "gone"}, {Path: "old"}}},
		{Files: []patch.FileChange{{Kind: patch.Delete, Path: "gone"}, {Kind: patch.Move, Path: "moved", From: "old"}}},
	}
	files := map[string]string{"a": strings.Repeat("x\n", maxWholeBytes)}
	shown := contextOf(t, k, files, step.ContextCall{State: step.State{Base: "b", Changes: changes}, Task: "t", Focus: "a"})
	require.Equal(t, want, shown.Files)
	require.Equal(t, "map", shown.Map)
	require.False(t, shown.Whole)
	require.Empty(t, shown.Simple)
	require.Equal(t, []string{"moved", "new"}, asked.Changed)
	require.Equal(t, step.DefaultContext, asked.Most)
	require.Equal(t, "a", asked.Focus)

	k.Pack = func(context.Context, Need) (Packed, error) { return Packed{}, errors.New("broken") }
	k.Trees = &Trees{Open: func(context.Context, string) (Tree, error) { return &shelf{files: files}, nil }}
	_, err := k.context(t.Context(), step.ContextCall{})
	require.ErrorContains(t, err, "broken")
}
