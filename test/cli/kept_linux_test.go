package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
)

// The user is asked which of several runs to resume; choosing none is a valid answer.
func TestResumeTerminal_AsksWhichRun(t *testing.T) {
	t.Parallel()
	w := scripted(t, absentModel, sumModule())
	first, second := w.cut("graph"), w.cut("graph")
	p := w.sit("resume")
	p.sees("Which run?")
	p.sees("1) " + second + "  interrupted, just now: add Add")
	p.sees("2) " + first + "  interrupted, just now: add Add")
	p.sees("3) None of them (default)\r\n> ")
	p.types("")
	code, screen := p.leaves()
	require.Equal(t, 4, code, screen)
	require.Contains(t, screen, "nothing was resumed")
	require.Equal(t, []string{"interrupted", "interrupted"}, statesOf(asked[api.RunsResult](w, "runs").Runs))

	p = w.sit("resume")
	p.sees("> ")
	p.types("2")
	p.sees(first + " continues · model scripted")
	p.interrupts()
	code, screen = p.leaves()
	require.Equal(t, 4, code, screen)
	require.Equal(t, []string{"interrupted", "cancelled"}, statesOf(asked[api.RunsResult](w, "runs").Runs))
}
