package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The user sees the refusal and then what each hunk would do at its likely place; after a confirmation of
// each hunk the patch is applied like any other.
func TestLocatedHunks_UserConfirmsEachPlace(t *testing.T) {
	t.Parallel()
	w := quiet(t, song())
	p := w.sit("apply", "--trust", w.patchFile(misremembered))
	p.sees("a.txt: hunk 1 does not match")
	p.sees("a.txt:1 is ")
	p.sees(" % similar to the text that hunk 1 expects. Apply it here?")
	p.sees("@@ -1,2 +1,2 @@")
	p.sees("-the quick brown fox")
	p.sees("+THE FOX")
	p.sees("2) No (default)")
	p.sees("> ")
	p.types("y")
	p.sees("a.txt:4 is ")
	p.sees("@@ -4 +4 @@")
	p.sees("> ")
	p.types("1")
	p.sees("b.txt:1 is ")
	p.sees("+honey")
	p.sees("> ")
	p.types("yes")
	p.sees("a hunk that matches nowhere is applied at line 4 of a.txt")
	p.sees("+THE DOG")
	p.sees("Apply this change to 2 files?")
	p.sees("> ")
	require.Equal(t, song(), w.all(), "nothing is written before the yes to the whole")
	p.types("1")
	code, screen := p.leaves()
	require.Zero(t, code, screen)
	require.Equal(t, sung(), w.all())
	require.Equal(t, 1, strings.Count(screen, "does not match"), "the refusal is printed once")
	code, _, stderr := w.run("undo", "--yes")
	require.Zero(t, code, stderr)
	require.Equal(t, song(), w.all())
}

// Whatever is no yes to every hunk leaves all files as they were, also those that match.
func TestLocatedHunks_WithoutConfirmationNothingChanges(t *testing.T) {
	t.Parallel()
	first := func(p *person) { p.sees("Apply it here?"); p.sees("> ") }
	second := func(p *person) { first(p); p.types("y"); p.sees("a.txt:4 is "); p.sees("> ") }
	for name, c := range map[string]struct {
		act  func(p *person)
		code int
		says string
	}{
		"no":               {func(p *person) { first(p); p.types("n") }, 1, "was not confirmed at line 1, so nothing was applied"},
		"nothing typed":    {func(p *person) { first(p); p.types("") }, 1, "was not confirmed at line 1"},
		"a typo":           {func(p *person) { first(p); p.types("yess") }, 1, `"yess" is not one of these, so the default is used: No`},
		"no to the second": {func(p *person) { second(p); p.types("n") }, 1, "hunk 2 of a.txt matches nowhere and was not confirmed at line 4"},
		"the end of input": {func(p *person) { first(p); _, _ = p.pty.WriteString("\x04") }, 1, "was not confirmed"},
		"an interrupt":     {func(p *person) { second(p); p.interrupts() }, 4, "cancelled"},
		"no to the whole": {func(p *person) {
			second(p)
			p.types("y")
			p.sees("b.txt:1")
			p.sees("> ")
			p.types("y")
			p.sees("2 files?")
			p.sees("> ")
			p.types("3")
		}, 3, "nothing was applied"},
		"no to the last": {func(p *person) { second(p); p.types("y"); p.sees("b.txt:1"); p.sees("> "); p.types("n") }, 1, "hunk 1 of b.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := quiet(t, song())
			before := fingerprint(t, w.root)
			p := w.sit("apply", "--trust", w.patchFile(misremembered))
			c.act(p)
			code, screen := p.leaves()
			require.Equal(t, c.code, code, screen)
			require.Contains(t, screen, c.says)
			require.Equal(t, before, fingerprint(t, w.root))
		})
	}
}

// The yes is to a text: one that was saved over it while the question was open is not touched.
func TestLocatedHunks_FileSavedDuringTheQuestionIsKept(t *testing.T) {
	t.Parallel()
	lost := v4a("*** Update File: a.txt", "@@", "-the quick brawn fox", "+THE FOX")
	for name, c := range map[string]struct {
		saved string
		code  int
	}{
		"on the same line":   {"one\r\nthe quick brown ox\r\nthree\r\njumps over the dog\r\n", 1},
		"above, so it moved": {"zero\r\n" + song()["a.txt"], 1},
		"behind":             {song()["a.txt"] + "five\r\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := quiet(t, map[string]string{"a.txt": song()["a.txt"]})
			p := w.sit("apply", "--trust", w.patchFile(lost))
			p.sees("Apply it here?")
			p.sees("> ")
			require.NoError(t, os.WriteFile(filepath.Join(w.root, "a.txt"), []byte(c.saved), 0o600))
			p.types("y")
			want := c.saved
			if c.code == 0 {
				p.sees("Apply this change to a.txt?")
				p.types("y")
				want = strings.Replace(c.saved, "the quick brown fox", "THE FOX", 1)
			}
			code, screen := p.leaves()
			require.Equal(t, c.code, code, screen)
			require.Equal(t, c.code == 1, strings.Contains(screen, "the folder has changed since: a.txt: hunk 1 does not match"), screen)
			require.Equal(t, map[string]string{"a.txt": want}, w.all())
		})
	}
}

// At a terminal too, --yes is no yes to a guess: it was given before the guess was seen.
func TestLocatedHunks_YesFlagDoesNotConfirm(t *testing.T) {
	t.Parallel()
	w := quiet(t, song())
	before := fingerprint(t, w.root)
	code, screen := w.sit("apply", "--trust", "--yes", w.patchFile(misremembered)).leaves()
	require.Equal(t, 1, code, screen)
	require.NotContains(t, screen, "> ")
	require.Contains(t, screen, "use --allow-fuzzy to apply all of them")
	require.Equal(t, before, fingerprint(t, w.root))
}
