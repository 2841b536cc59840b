package match_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/patch"
	"forge/patch/match"
)

func parsed(t require.TestingT, lines ...string) patch.Patch {
	p, err := patch.Parse(block(lines...))
	require.NoError(t, err)
	return p
}

// two are files that a patch misremembers: a line in each, and one that it knows.
var two = memory{
	"a.txt": "one\nthe quick brown fox\nthree\nfour\njumps over the dog\nsix\n",
	"b.txt": "\ufeffroses are red\r\nviolets are blue\r\nsugar is sweet",
}

func misremembered(t require.TestingT) patch.Patch {
	return parsed(t, "*** Update File: a.txt", "@@", " one", "-the quick brawn fox", "+THE FOX", "@@", "-four", "+4", "@@", "-jumped over the dog", "+THE DOG",
		"*** Update File: b.txt", "*** Move to: c.txt", "@@", "-sugar was sweet", "+honey", "+too")
}

var shown = []match.Unconfirmed{
	{Path: "a.txt", Hunk: 1, Line: 1, Before: "one\nthe quick brown fox\n", After: "one\nTHE FOX\n"},
	{Path: "a.txt", Hunk: 3, Line: 5, Before: "jumps over the dog\n", After: "THE DOG\n"},
	{Path: "b.txt", Hunk: 1, Line: 3, Before: "sugar is sweet", After: "honey\r\ntoo"},
}

// All hunks that need a confirmation are reported at once, and with all of them the patch applies, to the byte.
func TestLocate_AndConfirm(t *testing.T) {
	t.Parallel()
	p := misremembered(t)
	located, err := match.Locate(p, two)
	require.NoError(t, err)
	bare := make([]match.Unconfirmed, len(located))
	for i, u := range located {
		require.True(t, u.Score > 0.6 && u.Score < 1)
		u.Score = 0
		bare[i] = u
	}
	require.Empty(t, cmp.Diff(shown, bare))
	changes, err := match.ResolveConfirmed(p, two, located)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(memory{
		"a.txt": "one\nTHE FOX\nthree\n4\nTHE DOG\nsix\n", "c.txt": "\ufeffroses are red\r\nviolets are blue\r\nhoney\r\ntoo",
	}, two.apply(changes)))
	require.Equal(t, []patch.Match{{Level: patch.Likeness, Line: 1}, {Level: patch.Exact, Line: 4}, {Level: patch.Likeness, Line: 5}}, changes.Files[0].Matches)
	require.Equal(t, "likeness", changes.Files[1].Matches[0].Level.String())
}

// Without a confirmation of each single one the patch is refused as usual: the error names the first that is missing.
func TestResolveConfirmed_RefusesOtherHunks(t *testing.T) {
	t.Parallel()
	p := misremembered(t)
	located, err := match.Locate(p, two)
	require.NoError(t, err)
	_, refused := match.Resolve(p, two)
	require.Equal(t, "NoMatch", kindOf(refused))
	for missing := range located {
		changes, err := match.ResolveConfirmed(p, two, append(append([]match.Unconfirmed(nil), located[:missing]...), located[missing+1:]...))
		require.Empty(t, changes.Files)
		var failed *match.NoMatchError
		require.ErrorAs(t, err, &failed)
		require.Equal(t, located[missing].Path, failed.Path)
		require.Equal(t, located[missing].Hunk, failed.Hunk)
	}
	_, err = match.ResolveConfirmed(p, two, nil)
	require.Equal(t, refused, err)
}

// A confirmation holds for what was shown and for nothing else.
func TestResolveConfirmed_GoesToNoOtherText(t *testing.T) {
	t.Parallel()
	const text = "one\nthe quick brown fox\nthree\n"
	hunk := []string{"@@", "-the quick brawn fox", "+THE FOX"}
	p := parsed(t, append([]string{"*** Update File: f"}, hunk...)...)
	located, err := match.Locate(p, memory{"f": text})
	require.NoError(t, err)
	require.Len(t, located, 1)
	for name, c := range map[string]struct {
		p    patch.Patch
		text string
		ok   bool
	}{
		"the same":              {p, text, true},
		"elsewhere changed":     {p, text + "four\n", true},
		"another text":          {p, strings.Replace(text, "brown", "brwn", 1), false},
		"another line end":      {p, strings.Replace(text, "fox\n", "fox\r\n", 1), false},
		"moved down":            {p, "zero\n" + text, false},
		"gone":                  {p, "one\nthree\n", false},
		"another outcome":       {parsed(t, "*** Update File: f", hunk[0], hunk[1], "+THE HEN"), text, false},
		"another hunk of it":    {parsed(t, append([]string{"*** Update File: f", "@@", "-one", "+1"}, hunk...)...), text, false},
		"of another likeness":   {parsed(t, "*** Update File: f", "@@", "-the quick bwn fox", hunk[2]), text, false},
		"of a file to be moved": {parsed(t, append([]string{"*** Update File: f", "*** Move to: g"}, hunk...)...), text, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changes, err := match.ResolveConfirmed(c.p, memory{"f": c.text}, located)
			if c.ok {
				require.NoError(t, err)
				require.Equal(t, strings.Replace(c.text, "the quick brown fox", "THE FOX", 1), changes.Files[0].After)
				return
			}
			require.Equal(t, "NoMatch", kindOf(err), "%v", err)
			require.Empty(t, changes.Files)
		})
	}
	changes, err := match.ResolveConfirmed(parsed(t, append([]string{"*** Update File: g"}, hunk...)...), memory{"g": text}, located)
	require.Equal(t, "NoMatch", kindOf(err), "in another file")
	require.Empty(t, changes.Files)
}

// If a confirmation would not help, none is requested, and the error says what is wrong.
func TestLocate_NothingToConfirm(t *testing.T) {
	t.Parallel()
	const fox = "the quick brown fox\n"
	guess := []string{"@@", "-the quick brawn fox", "+THE FOX"}
	update := func(lines ...string) []string { return append([]string{"*** Update File: f"}, lines...) }
	for name, c := range map[string]struct {
		text  string
		patch []string
		kind  string
	}{
		"another hunk is ambiguous":         {fox + "a\nb\na\n", update(append(guess, "@@", "-a", "+A")...), "Ambiguous"},
		"and no guess decides the place":    {"a\n" + fox + "a\n", update(append(guess, "@@", "-a", "+A")...), "Ambiguous"},
		"another hunk is nowhere":           {fox, update(append(guess, "@@", "-öäü", "+A")...), "NoMatch"},
		"another file is not there":         {fox, append(update(guess...), "*** Delete File: g"), "Missing"},
		"it wants the lines of another":     {fox, update(append(guess, "@@", "-the quick brown fox", "+x")...), "Overlap"},
		"two are like the same lines":       {fox, update(append(guess, "@@", "-the quick browm fox", "+x")...), "Overlap"},
		"it must end the file":              {fox + "end\n", update(append(guess, "*** End of File")...), "NoMatch"},
		"what it adds stands there already": {"the quick fox\n", update("@@", "-the quick foxy", "+the quick fox"), "AlreadyApplied"},
		"it would change nothing":           {"alpha one\nreturn total\n", update("@@", " alpha two", "-return totals", "+return total"), "NoMatch"},
		"a file is to be deleted":           {fox, []string{"--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-the quick brawn fox\n"}, "NoMatch"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _, err := patch.ParseAny(c.patch[0])
			if len(c.patch) > 1 {
				p, err = patch.Parse(block(c.patch...))
			}
			require.NoError(t, err)
			located, err := match.Locate(p, memory{"f": c.text})
			require.Equal(t, c.kind, kindOf(err), "%v", err)
			require.Empty(t, located)
		})
	}
}

// Lines are numbered as in the file.
func TestUnconfirmed_AsUnifiedDiff(t *testing.T) {
	t.Parallel()
	located, err := match.Locate(misremembered(t), two)
	require.NoError(t, err)
	require.Equal(t, "--- a/a.txt\n+++ b/a.txt\n@@ -5 +5 @@\n-jumps over the dog\n+THE DOG\n", located[1].Unified(3))
	require.Equal(t, "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-the quick brown fox\n+THE FOX\n", located[0].Unified(3))
}

// The last lines of a text that has no final line end are gone with the end of the line above.
func TestLocate_TakesTheLastLinesOfAText(t *testing.T) {
	t.Parallel()
	p, files := parsed(t, "*** Update File: f", "@@", "-return totals"), memory{"f": "x\ny\nreturn total"}
	located, err := match.Locate(p, files)
	require.NoError(t, err)
	require.Equal(t, []string{"y\nreturn total", "y"}, []string{located[0].Before, located[0].After})
	require.Equal(t, 2, located[0].Line)
	changes, err := match.ResolveConfirmed(p, files, located)
	require.NoError(t, err)
	require.Equal(t, "x\ny", changes.Files[0].After)
}

// checkLocated checks what must hold of the hunks of a patch on the file f that somebody could confirm.
func checkLocated(t require.TestingT, p patch.Patch, file string) {
	files := memory{"f": file}
	changes, refusal := match.Resolve(p, files)
	located, err := match.Locate(p, files)
	unconfirmed, still := match.ResolveConfirmed(p, files, nil)
	require.Equal(t, refusal, still, "the refusal is the same")
	require.Equal(t, changes, unconfirmed)
	if refusal == nil {
		require.NoError(t, err)
		require.Empty(t, located, "what matches needs no yes")
		return
	}
	if err != nil {
		require.Empty(t, located)
		return
	}
	require.NotEmpty(t, located)
	require.Equal(t, "NoMatch", kindOf(refusal))
	_, err = match.ResolveConfirmed(p, files, located)
	require.NoError(t, err)
	lines := wholeLine.FindAllString(strings.TrimPrefix(file, "\ufeff"), -1)
	for i, u := range located {
		require.NotEqual(t, u.Before, u.After)
		require.True(t, strings.HasPrefix(strings.Join(lines[u.Line-1:], ""), u.Before))
		_, err := match.ResolveConfirmed(p, files, append(append([]match.Unconfirmed(nil), located[:i]...), located[i+1:]...))
		require.Equal(t, "NoMatch", kindOf(err))
	}
}

// Pairs that match only one after the other match: nothing of them is for the user to confirm.
func TestLocate_ExactMatchesNeedNoConfirmation(t *testing.T) {
	t.Parallel()
	p, err := patch.FromReplacements(replace("return total", "return totals", "return totals\n", "return all\n"))
	require.NoError(t, err)
	checkLocated(t, p, "x\nreturn total\n")
	changes, err := match.ResolveConfirmed(p, memory{"f": "x\nreturn total\n"}, nil)
	require.NoError(t, err)
	require.Equal(t, "x\nreturn all\n", changes.Files[0].After)
}

// Whatever somebody could confirm, Resolve itself does as ever.
func TestLocate_Properties(t *testing.T) {
	t.Parallel()
	offered := 0
	rapid.Check(t, func(t *rapid.T) {
		e := edits().Draw(t, "edited")
		rows := strings.Split(e.patch, "\n")
		for i := range rows {
			if strings.HasPrefix(rows[i], "-") && rapid.Bool().Draw(t, "wrong") {
				rows[i] = strings.Replace(rows[i], "$&", "$&;;;;"[:rapid.IntRange(2, 6).Draw(t, "by")], 1)
			}
		}
		p, err := patch.Parse(strings.Join(rows, "\n"))
		require.NoError(t, err)
		checkLocated(t, p, e.before)
		if located, err := match.Locate(p, memory{"f": e.before}); err == nil && len(located) > 0 {
			offered++
			changes, err := match.ResolveConfirmed(p, memory{"f": e.before}, located)
			require.NoError(t, err)
			require.Equal(t, e.after, changes.Files[0].After)
		}
	})
	require.Positive(t, offered, "the property is about something")
}

func FuzzLocate(f *testing.F) {
	for _, text := range []string{"", "a\nb\nc\n", "a \r\n\tb\r\nc", "\ufeffreturn total\rb", "the quick fox\nthe lazy dog"} {
		for _, seed := range seedPatches {
			f.Add(seed, text)
		}
		f.Add(block("*** Update File: f", "@@", " the quick foxes", "-the lacy dog", "@@", "-return totals", "+0", "*** End of File"), text)
	}
	f.Fuzz(func(t *testing.T, text, file string) {
		if p, err := patch.Parse(text); err == nil {
			checkLocated(t, p, file)
		}
	})
}
