package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBlocked_ATerminalAsksAndTheRunContinues(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+writeTests+asksBack+writeTold+reviewPass, sumModule())
	p := w.sit("run", "--trust", "add Add")
	p.sees("The model cannot continue: Should a sum that overflows panic?")
	p.sees("or type what the model should know")
	p.types("let it wrap")
	p.sees("Apply this change to 2 files?")
	p.types("1")
	code, screen := p.leaves()
	require.Zero(t, code, screen)
	w.played()
}
