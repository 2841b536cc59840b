package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// In a terminal a request that reads like a question is asked about, and the careful answer changes nothing.
func TestRun_TerminalAsksAboutADoubtfulQuestion(t *testing.T) {
	t.Parallel()
	w := scripted(t, "\n- {match: {node: answer}, reply: {text: It is nowhere.}}", sumModule())
	before := fingerprint(t, w.root)
	p := w.sit("run", "--trust", "where is Add?")
	p.sees("This reads like a question. Answer it, or change the folder?")
	p.sees("1) Answer it, as forge ask does; changes no file (default)")
	p.types("")
	p.sees("It is nowhere.")
	code, screen := p.leaves()
	require.Zero(t, code, screen)
	require.Equal(t, before, fingerprint(t, w.root))
	w.played()

	other := scripted(t, whole, sumModule())
	p = other.sit("run", "--trust", "where is Add?")
	p.sees("This reads like a question.")
	p.types("2")
	p.sees("Apply this change to 2 files?")
	p.types("1")
	code, screen = p.leaves()
	require.Zero(t, code, screen)
	require.NotEmpty(t, other.read("add.go"))
}
