package activity

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/engine/step"
)

// goOutliner knows Go.
type goOutliner struct{}

func (goOutliner) Outline(_ context.Context, l codeintel.Language, source string) (codeintel.Outline, error) {
	if l != codeintel.LanguageGo {
		return codeintel.Outline{}, nil
	}
	return codeintel.GoOutline(source), nil
}

const sums = "package sum\n\n// Sum adds.\nfunc Sum(values []int) int {\n\ttotal := 0\n\tfor _, v := range values {\n\t\ttotal -= v\n\t}\n\treturn total\n}\n\nvar x = 1\n"

func scoped(files map[string]string) Kit {
	made := &opened{}
	trees := &Trees{Open: func(ctx context.Context, base string) (Tree, error) {
		tree, err := made.open(ctx, base)
		tree.(*shelf).files = files
		return tree, err
	}}
	return Kit{Trees: trees, Outliner: goOutliner{}}
}

func TestScopes_OfPlaces(t *testing.T) {
	t.Parallel()
	kit := scoped(map[string]string{"sum.go": sums, "note.xyz": "one\r\ntwo\r\nthree", "bad": "\xff\xfe"})
	at := func(path string, line int) step.Location { return step.Location{Path: path, Line: line} }
	for name, test := range map[string]struct {
		at            step.Location
		header, lines string // empty lines: there is no scope
	}{
		"in a function": {at("sum.go", 7), "func Sum(values []int) int {",
			"  4 | func Sum(values []int) int {\n  5 | \ttotal := 0\n  6 | \tfor _, v := range values {\n> 7 | \t\ttotal -= v  <-- here\n  8 | \t}\n  9 | \treturn total\n  10 | }"},
		"outside of functions": {at("sum.go", 12), "", "  9 | \treturn total\n  10 | }\n  11 | \n> 12 | var x = 1  <-- here"},
		"no known language":    {at("note.xyz", 2), "", "  1 | one\n> 2 | two  <-- here\n  3 | three"},
		"behind the end":       {at("sum.go", 99), "", ""},
		"no line":              {at("sum.go", 0), "", ""},
		"no file":              {at("gone.go", 1), "", ""},
		"no text":              {at("bad", 1), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, err := kit.scopes(t.Context(), step.ScopesCall{State: step.State{Base: "base"}, Places: []step.Location{test.at}})
			require.NoError(t, err)
			if test.lines == "" {
				require.Empty(t, found)
				return
			}
			require.Equal(t, []step.Scope{{Location: test.at, Header: test.header, Lines: test.lines}}, found)
		})
	}
}

// The lines are those of the tree that was checked, not of what the user has.
func TestScopes_AreOfTheAttemptsTree(t *testing.T) {
	t.Parallel()
	kit := scoped(map[string]string{"sum.go": sums})
	state := step.State{Base: "base"}.With(writing("sum.go", "package sum\n\nfunc Other() {\n\tbroken(\n}\n"))
	found, err := kit.scopes(t.Context(), step.ScopesCall{State: state, Places: []step.Location{{Path: "sum.go", Line: 4}}})
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Contains(t, found[0].Lines, "> 4 | \tbroken(  <-- here")
	require.NotContains(t, found[0].Lines, "total")
}

func TestDefined_FindsDefinitions(t *testing.T) {
	t.Parallel()
	kit := scoped(map[string]string{"sum.go": sums, "uses.go": "package sum\n\nvar y = Sum(nil)\n", "note.txt": "Sum"})
	for _, test := range []struct {
		names []string
		want  []step.Definition
	}{
		{[]string{"Sum", "x"}, []step.Definition{{Name: "Sum", Path: "sum.go"}, {Name: "x", Path: "sum.go"}}},
		{[]string{"Missing"}, []step.Definition{}},
		{nil, []step.Definition{}},
	} {
		found, err := kit.defined(t.Context(), step.DefinedCall{State: step.State{Base: "base"}, Names: test.names})
		require.NoError(t, err)
		require.Equal(t, test.want, found)
	}
}
