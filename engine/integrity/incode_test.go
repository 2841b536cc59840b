package integrity

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/patch"
)

// inBrackets takes what stands in [brackets] for tests, in (parentheses) for examples, and a { for something to stand in.
func inBrackets(_, text string) (parts []gate.Part) {
	for _, m := range regexp.MustCompile(`\[[^\]]*\]|\([^)]*\)`).FindAllStringIndex(text, -1) {
		parts = append(parts, gate.Part{Start: m[0], End: m[1], In: strings.Repeat("{", strings.Count(text[:m[0]], "{")), Example: text[m[0]] == '('})
	}
	return parts
}

// Tests that stand in a file of code are kept as those in files of their own are.
func TestIncode_TestsInCodeAreKept(t *testing.T) {
	t.Parallel()
	suite := Suite{Gate: "test", IsTest: func(path string) bool { return strings.HasSuffix(path, "_test") }, Inline: inBrackets}
	r := Rules{Suites: Suites{suite}, Names: func(string) bool { return false }, Wanted: func(string) string { return "" }}
	const before = "code [one] (two) more [three]"
	update := func(after string) patch.FileChange {
		return patch.FileChange{Kind: patch.Update, Path: "a", Before: before, After: after}
	}
	const (
		frozen, growing, tests = 1, 2, 4 // the guards that refuse it
	)
	for name, c := range map[string]struct {
		change  patch.FileChange
		refused int
	}{
		"other code":              {update("other [one] (two) code [three]"), tests},
		"a test changes":          {update("code [won] (two) more [three]"), frozen | growing | tests},
		"a test goes":             {update("code (two) more [three]"), frozen | growing | tests},
		"all tests go":            {update("code more"), frozen | growing | tests},
		"tests change places":     {update("code [three] (two) more [one]"), frozen | growing | tests},
		"tests are wrapped":       {update("code {[one] (two) more [three]}"), frozen | growing | tests},
		"a new test":              {update("code [one] (two) more [three] [four]"), frozen},
		"a test grows":            {update("code [one] (two) more [three\nfour]"), frozen | growing | tests},
		"a new example":           {update("code [one] (two) more [three] (four)"), 0},
		"an example changes":      {update("code [one] (zwei) more [three]"), frozen | growing | tests},
		"the file goes":           {patch.FileChange{Kind: patch.Delete, Path: "a", Before: before}, frozen | growing | tests},
		"the file moves":          {patch.FileChange{Kind: patch.Move, Path: "b", From: "a", Before: before, After: before}, frozen | growing | tests},
		"a new file of code":      {patch.FileChange{Kind: patch.Create, Path: "b", After: "code"}, tests},
		"a new file with tests":   {patch.FileChange{Kind: patch.Create, Path: "b", After: "code [one]"}, frozen | tests},
		"a new file of tests":     {patch.FileChange{Kind: patch.Create, Path: "b", After: "[one]\n"}, frozen},
		"a file without tests":    {patch.FileChange{Kind: patch.Update, Path: "b", Before: "code", After: "other"}, tests},
		"a file gets its tests":   {patch.FileChange{Kind: patch.Update, Path: "b", Before: "code", After: "code\n\n[one]\n"}, frozen},
		"a file of tests changes": {patch.FileChange{Kind: patch.Update, Path: "b_test", Before: "one", After: "two"}, frozen | growing | tests},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set, refused := patch.ChangeSet{Files: []patch.FileChange{c.change}}, 0
			for bit, g := range map[int]func(patch.ChangeSet, string) error{frozen: r.Frozen, growing: r.Growing, tests: r.OnlyTests} {
				if g(set, "") != nil {
					refused |= bit
				}
			}
			require.Equal(t, c.refused, refused)
		})
	}
	require.NoError(t, r.OnlyTests(patch.ChangeSet{Files: []patch.FileChange{update("code [won] (two) more [three]")}}, "a had to change"), "it is said why")
}

// A refusal to change frozen tests says once what to do about a test that is wrong.
func TestIncode_ARefusalNamesTheWayOut(t *testing.T) {
	t.Parallel()
	suite := Suite{Gate: "test", IsTest: func(path string) bool { return strings.HasSuffix(path, "_test") }, Inline: inBrackets}
	r := Rules{Suites: Suites{suite}, Names: func(string) bool { return false }, Wanted: func(string) string { return "" }}
	files := []patch.FileChange{
		{Kind: patch.Update, Path: "a", Before: "code (two)", After: "code (zwei)"},
		{Kind: patch.Update, Path: "b", Before: "code [two]", After: "code [zwei]"},
		{Kind: patch.Move, Path: "d", From: "c", Before: "code [two]", After: "code [two]"},
		{Kind: patch.Update, Path: "b_test", Before: "one", After: "two"},
	}
	for n := range files {
		err := r.Frozen(patch.ChangeSet{Files: files[n:]}, "")
		require.ErrorContains(t, err, `say so in "blocked" and name its file`)
		require.Equal(t, 1, strings.Count(err.Error(), `"blocked"`))
	}
	require.NoError(t, r.Frozen(patch.ChangeSet{Files: []patch.FileChange{{Kind: patch.Update, Path: "a", Before: "code (two)", After: "other (two)"}}}, ""))
}
