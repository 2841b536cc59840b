package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// song is a folder, and misremembered a patch of two of its files that fits neither: three lines are not as it
// says. sung is what it means.
func song() map[string]string {
	return map[string]string{"a.txt": "one\r\nthe quick brown fox\r\nthree\r\njumps over the dog\r\n", "b.txt": "roses are red\nviolets are blue", "old.txt": "old\n"}
}

var misremembered = v4a("*** Update File: a.txt", "@@", " one", "-the quick brawn fox", "+THE FOX", "@@", "-jumped over the dog", "+THE DOG",
	"*** Update File: b.txt", "@@", " roses are red", "-violets were blue", "+honey")

func sung() map[string]string {
	return map[string]string{"a.txt": "one\r\nTHE FOX\r\nthree\r\nTHE DOG\r\n", "b.txt": "roses are red\nhoney", "old.txt": "old\n"}
}

// A hunk that is only like what stands somewhere is a refusal, whatever else was consented to; every one of
// them is shown.
func TestLocatedHunks_AreRefusedWithoutConfirmation(t *testing.T) {
	t.Parallel()
	half := v4a("*** Update File: b.txt", "@@", "-roses are red", "+x", "*** Update File: a.txt", "@@", "-the quick brawn fox", "+THE FOX")
	known := v4a("*** Update File: a.txt", "@@", "-the quick brawn fox", "+THE FOX", "*** Add File: old.txt", "+new")
	for name, c := range map[string]struct {
		patch   string
		args    []string
		located int
	}{
		"no flag":                  {misremembered, nil, 3},
		"--yes alone":              {misremembered, []string{"--yes", "--trust"}, 3},
		"a dry run":                {misremembered, []string{"--dry-run"}, 3},
		"a dry run that is sure":   {misremembered, []string{"--dry-run", "--yes", "--trust", "--overwrite"}, 3},
		"one of two files":         {half, []string{"--yes", "--trust"}, 1},
		"and a file is in the way": {known, []string{"--yes", "--trust", "--overwrite"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := quiet(t, song())
			before := fingerprint(t, w.root)
			file := w.patchFile(c.patch)
			code, stdout, stderr := w.run(append([]string{"apply", file}, c.args...)...)
			require.Equal(t, 1, code, stderr)
			require.Empty(t, stdout)
			require.Contains(t, stderr, "hunk 1 of a.txt matches nowhere; line ")
			require.Contains(t, stderr, "-the quick brown fox")
			require.Contains(t, stderr, "+THE FOX")
			require.Contains(t, stderr, "--allow-fuzzy")
			require.Contains(t, stderr, "a.txt: hunk 1 does not match")
			readsWell(t, stderr)
			code, stdout, stderr = w.run(append([]string{"apply", "--json", file}, c.args...)...)
			require.Equal(t, 1, code, stderr)
			o := applyOutcomeOf(t, stdout)
			require.Equal(t, "refused", o.State)
			require.Equal(t, "no-match", o.Refusal.Kind)
			require.Len(t, o.Unconfirmed, c.located)
			require.Empty(t, o.Files)
			require.Equal(t, before, fingerprint(t, w.root))
		})
	}
}

func TestLocatedHunks_ReportsUnconfirmedAsJSON(t *testing.T) {
	t.Parallel()
	w := quiet(t, song())
	_, stdout, _ := w.pipe(misremembered, "apply", "--json", "--dry-run", "-")
	got := applyOutcomeOf(t, stdout).Unconfirmed
	for i := range got {
		require.True(t, got[i].Score > 0.6 && got[i].Score < 1, got[i].Score)
		got[i].Score = 0
	}
	require.Equal(t, []locatedHunk{
		{"a.txt", 1, 1, 0, "one\r\nthe quick brown fox\r\n", "one\r\nTHE FOX\r\n"},
		{"a.txt", 2, 4, 0, "jumps over the dog\r\n", "THE DOG\r\n"},
		{"b.txt", 1, 1, 0, "roses are red\nviolets are blue", "roses are red\nhoney"},
	}, got)
}

// The twin: --allow-fuzzy applies all hunks, lists them, and can be undone.
func TestLocatedHunks_AllowFuzzyAppliesAll(t *testing.T) {
	t.Parallel()
	w := quiet(t, song())
	code, stdout, stderr := w.pipe(misremembered, "apply", "--allow-fuzzy", "--dry-run", "-")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "+THE DOG")
	require.Equal(t, song(), w.all())
	code, _, stderr = w.pipe(misremembered, "apply", "--allow-fuzzy", "--trust", "-")
	require.Equal(t, 3, code, "it is no --yes")
	require.Contains(t, stderr, "Use --yes")
	require.Equal(t, song(), w.all())
	code, stdout, stderr = w.pipe(misremembered, "apply", "--allow-fuzzy", "--yes", "--trust", "--json", "-")
	require.Zero(t, code, stderr)
	require.Contains(t, stderr, "a hunk that matches nowhere is applied at line 1 of a.txt")
	o := applyOutcomeOf(t, stdout)
	require.Empty(t, o.Unconfirmed)
	require.Equal(t, []batchHunk{{"a.txt", "likeness", 0.5, 1}, {"a.txt", "likeness", 0.5, 4}, {"b.txt", "likeness", 0.5, 1}}, o.Hunks)
	require.Equal(t, sung(), w.all())
	code, _, stderr = w.run("undo", "--yes")
	require.Zero(t, code, stderr)
	require.Equal(t, song(), w.all())
}

// If no confirmation would help, none is offered, and no flag applies a part.
func TestLocatedHunks_OffersNothingWhenNoConfirmationHelps(t *testing.T) {
	t.Parallel()
	for name, patch := range map[string]string{
		"another hunk is nowhere":  v4a("*** Update File: a.txt", "@@", "-the quick brawn fox", "+THE FOX", "@@", "-öäü", "+x"),
		"another hunk fits twice":  v4a("*** Update File: a.txt", "@@", "-the quick brawn fox", "+THE FOX", "*** Update File: b.txt", "@@", "-twice", "+x"),
		"another file is not here": v4a("*** Update File: a.txt", "@@", "-the quick brawn fox", "+THE FOX", "*** Delete File: gone.txt"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := song()
			files["b.txt"] = "twice\ntwice\n"
			w := quiet(t, files)
			code, stdout, stderr := w.pipe(patch, "apply", "--allow-fuzzy", "--yes", "--trust", "--json", "-")
			require.Equal(t, 1, code, stderr)
			require.Empty(t, applyOutcomeOf(t, stdout).Unconfirmed)
			require.Contains(t, stderr, "a.txt: hunk 1 does not match")
			require.Equal(t, files, w.all())
		})
	}
}

// A batch works in memory and asks nothing: a hunk that only resembles the text is refused.
func TestApplyBatch_RefusesFuzzyHunks(t *testing.T) {
	t.Parallel()
	_, answers := batch(t, asks(t, batchRequest{1, "v4a", map[string]any{"a.txt": song()["a.txt"], "b.txt": song()["b.txt"]}, misremembered}))
	require.False(t, answers[0].OK)
	require.Empty(t, answers[0].Files)
	require.Equal(t, "no-match", answers[0].Error.Kind)
	code, _, stderr := quiet(t, nil).pipe("", "apply", "--batch", "--allow-fuzzy")
	require.Equal(t, 2, code)
	require.Contains(t, stderr, "does not use --allow-fuzzy: leave it out")
}
