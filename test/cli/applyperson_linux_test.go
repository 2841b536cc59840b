package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The user takes two of four files, and refuses to replace one.
func TestApplyTerminal_UserChoosesFiles(t *testing.T) {
	t.Parallel()
	w := quiet(t, poem())
	p := w.sit("apply", w.patchFile(v4a("*** Update File: poem.txt", "@@", " are", "-red", "+blue", "*** Add File: add.txt", "+added",
		"*** Delete File: here.txt", "*** Add File: old.txt", "+new")))
	p.sees("old.txt exists already and would be replaced")
	p.sees("+blue")
	p.sees("Do you trust the code in " + w.root + "?")
	p.sees("> ")
	p.types("1")
	p.sees("Apply this change to 4 files?")
	p.sees("> ")
	require.Equal(t, poem(), w.all(), "nothing is written before the yes")
	p.types("2")
	for _, file := range []struct{ path, answer string }{{"add.txt", "y"}, {"here.txt", "n"}, {"old.txt", "y"}, {"poem.txt", "y"}} {
		p.sees("Apply " + file.path + "?")
		p.sees("> ")
		p.types(file.answer)
	}
	p.sees("old.txt exists already. Replace it?")
	p.sees("2) No (default)")
	p.sees("> ")
	p.types("")
	code, screen := p.leaves()
	require.Zero(t, code, screen)
	want := poem()
	want["add.txt"], want["poem.txt"] = "added\n", "roses\r\nare \r\nblue\r\n"
	require.Equal(t, want, w.all())
}

// A file moves onto another one only if the user confirms that very file; else it stays where it is.
func TestApplyTerminal_MoveOntoAFileNeedsConfirmation(t *testing.T) {
	t.Parallel()
	onto := v4a("*** Update File: here.txt", "*** Move to: old.txt", "@@", "-moved", "+Moved", " file")
	for answer, c := range map[string]struct {
		code int
		want map[string]string
	}{
		"n": {3, poem()},
		"y": {0, map[string]string{"poem.txt": poem()["poem.txt"], "left/alone.txt": "same\n", "old.txt": "Moved\nfile\n"}},
	} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			w := quiet(t, poem())
			p := w.sit("apply", "--trust", w.patchFile(onto))
			p.sees("Apply this change to 2 files?")
			p.sees("> ")
			p.types("1")
			p.sees("old.txt exists already. Replace it?")
			p.sees("> ")
			p.types(answer)
			code, screen := p.leaves()
			require.Equal(t, c.code, code, screen)
			require.Equal(t, c.want, w.all())
		})
	}
}

// A file that is saved while the question is open keeps its new text: the patch merges around changes
// elsewhere, and skips the file if the same lines changed.
func TestApplyTerminal_KeepsAFileSavedDuringTheQuestion(t *testing.T) {
	t.Parallel()
	long := "a\nb\nc\nd\ne\nf\n"
	for name, c := range map[string]struct {
		saved, want, says string
		code              int
	}{
		"elsewhere":         {"a\nb\nc\nd\ne\nF\n", "a\nB\nc\nd\ne\nF\n", "[forge] applied a.txt", 0},
		"on the same lines": {"a\nmine\nc\nd\ne\nf\n", "a\nmine\nc\nd\ne\nf\n", "[forge] conflict a.txt", 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := quiet(t, map[string]string{"a.txt": long})
			p := w.sit("apply", "--trust", w.patchFile(v4a("*** Update File: a.txt", "@@", " a", "-b", "+B", " c")))
			p.sees("Apply this change to a.txt?")
			p.sees("> ")
			require.NoError(t, os.WriteFile(filepath.Join(w.root, "a.txt"), []byte(c.saved), 0o600))
			p.types("y")
			code, screen := p.leaves()
			require.Equal(t, c.code, code, screen)
			require.Contains(t, screen, c.says)
			require.Equal(t, map[string]string{"a.txt": c.want}, w.all())
		})
	}
}

func TestApplyTerminal_DecliningAppliesNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		act  func(p *person)
		code int
		says string
	}{
		"no trust":     {func(p *person) { p.sees("> "); p.types("2") }, 4, "the folder is not trusted, so nothing was applied"},
		"no":           {func(p *person) { p.sees("> "); p.types("1"); p.sees("> "); p.types("none") }, 3, "nothing was applied"},
		"an interrupt": {func(p *person) { p.sees("> "); p.types("1"); p.sees("> "); p.interrupts() }, 4, "cancelled"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := quiet(t, poem())
			before := fingerprint(t, w.root)
			p := w.sit("apply", w.patchFile(change))
			c.act(p)
			code, screen := p.leaves()
			require.Equal(t, c.code, code, screen)
			require.Contains(t, screen, c.says)
			require.Equal(t, before, fingerprint(t, w.root))
		})
	}
}
