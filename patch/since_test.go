package patch

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// play makes of texts what a change set says.
func play(texts map[string]string, s ChangeSet) map[string]string {
	after := maps.Clone(texts)
	for _, f := range s.Files {
		if f.Kind == Move {
			delete(after, f.From)
		}
		if f.Kind == Delete {
			delete(after, f.Path)
			continue
		}
		after[f.Path] = f.After
	}
	return after
}

// changes draws a change set of texts.
func changes(t *rapid.T, texts map[string]string, name string) ChangeSet {
	var s ChangeSet
	for _, path := range []string{"a", "b", "c", "d"} {
		text, there := texts[path]
		after := rapid.SampledFrom([]string{"1\n2\n3\n4\n5\n", "x\n2\n3\n4\n5\n", "1\n2\n3\n4\ny\n", "z\n"}).Draw(t, name+path)
		switch what := rapid.IntRange(0, 3).Draw(t, "what"); {
		case there && what == 1:
			s.Files = append(s.Files, FileChange{Kind: Update, Path: path, Before: text, After: after})
		case there && what == 2:
			s.Files = append(s.Files, FileChange{Kind: Delete, Path: path, Before: text})
		case there && what == 3:
			s.Files = append(s.Files, FileChange{Kind: Move, Path: path + "/moved", From: path, Before: text, After: after})
		case !there && what == 1:
			s.Files = append(s.Files, FileChange{Kind: Create, Path: path, After: after})
		}
	}
	slices.SortFunc(s.Files, byPath)
	return s
}

// The difference since an earlier change leads from it to the later one.
func TestSince_LeadsFromOneToTheOther(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		texts := map[string]string{"a": "1\n2\n3\n4\n5\n", "b": "1\n2\n3\n4\n5\n", "c": "z\n"}
		earlier, later := changes(t, texts, "earlier "), changes(t, texts, "later ")
		since := later.Since(earlier)
		require.Equal(t, play(texts, later), play(play(texts, earlier), since))
		require.Empty(t, later.Since(later).Files)
		require.Equal(t, play(texts, later), play(texts, later.Since(ChangeSet{})))
		for _, f := range since.Files {
			before, there := play(texts, earlier)[f.Path]
			require.Equal(t, there, f.Kind != Create)
			require.Equal(t, before, f.Before, "it says what it is applied to")
		}
	})
}

// Whichever side is ours, a change of one side only is never lost, and a conflict is reported.
func TestCombine_LosesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		texts := map[string]string{"a": "1\n2\n3\n4\n5\n", "b": "1\n2\n3\n4\n5\n", "c": "z\n"}
		ours, theirs := changes(t, texts, "ours "), changes(t, texts, "theirs ")
		both, clashes := Combine(ours, theirs)
		after := play(texts, both)
		for _, side := range []ChangeSet{ours, theirs} {
			for _, f := range side.Files {
				alone := !slices.ContainsFunc(append(slices.Clone(ours.Files), theirs.Files...), func(o FileChange) bool {
					return o.shares(f) && fmt.Sprint(o) != fmt.Sprint(f)
				})
				if alone && f.Kind != Delete {
					require.Equal(t, f.After, after[f.Path])
				}
			}
		}
		if len(clashes) == 0 {
			mirrored, none := Combine(theirs, ours)
			require.Empty(t, none)
			require.Equal(t, after, play(texts, mirrored))
		}
	})
}

func TestCombine_OfTwoSides(t *testing.T) {
	t.Parallel()
	text := "1\n2\n3\n4\n5\n"
	update := func(after string) ChangeSet {
		return ChangeSet{Files: []FileChange{{Kind: Update, Path: "a", Before: text, After: after}}}
	}
	both, clashes := Combine(update("x\n2\n3\n4\n5\n"), update("1\n2\n3\n4\ny\n"))
	require.Empty(t, clashes)
	require.Equal(t, "x\n2\n3\n4\ny\n", both.Files[0].After)

	both, clashes = Combine(update("x\n2\n3\n4\n5\n"), update("z\n2\n3\n4\n5\n"))
	require.Equal(t, []Clash{{Path: "a", Theirs: update("z\n2\n3\n4\n5\n").Files[0]}}, clashes)
	require.Equal(t, "x\n2\n3\n4\n5\n", both.Files[0].After, "ours is kept")

	gone := ChangeSet{Files: []FileChange{{Kind: Delete, Path: "a", Before: text}}}
	_, clashes = Combine(update("x\n"), gone)
	require.Len(t, clashes, 1, "what one deletes the other changes")
	_, clashes = Combine(gone, gone)
	require.Empty(t, clashes)
}
