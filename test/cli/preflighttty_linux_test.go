package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

const installsRuff = "ruff is not installed; `python -m pip install ruff` installs it"

// lintedFolder is a project in Python whose settings name a linter that is not installed.
func lintedFolder(t *testing.T) *world {
	t.Helper()
	testkit.Tool(t, "python3", "Python")
	w := scripted(t, decideExecutor, map[string]string{
		"pyproject.toml": "[tool.ruff]\n",
		"a.py":           "A = 1\n",
		"test_a.py":      "import unittest\nfrom a import A\n\nclass T(unittest.TestCase):\n    def test_a(self): self.assertEqual(A, 1)\n",
	})
	w.only("git", "python3", "sh")
	return w
}

// A run reports a missing linter, and what installs it, before the first request to a model. Nothing is asked if the linter does not decide alone.
func TestPreflight_ReportsAMissingLinterBeforeTheFirstRequest(t *testing.T) {
	t.Parallel()
	w := lintedFolder(t)
	_, _, stderr := w.run("run", "--trust", "--yes", "add B")
	told, asked := strings.Index(stderr, installsRuff), strings.Index(stderr, "model: ")
	require.Positive(t, asked, stderr)
	require.Positive(t, told, stderr)
	require.Less(t, told, asked, stderr)
	require.NotContains(t, stderr, "Continue without?")
}

// Where the linter is required, the run asks first, with the command that installs it, and "stop" costs no request. The user installs it: Forge looks again.
func TestPreflight_StopCostsNoRequest(t *testing.T) {
	t.Parallel()
	w := lintedFolder(t)
	w.settings("required: [python lint]\n")
	p := w.sit("run", "--trust", "add B")
	p.sees("python lint cannot run here. Continue without?")
	p.sees(installsRuff)
	p.sees("1) Continue without them; a change that they concern is marked as not checked (default)")
	p.sees("2) I have installed it: check again")
	p.sees("3) Stop")
	require.Empty(t, w.journal.String(), "the question comes before any request")
	p.types("2")
	p.sees("python lint cannot run here. Continue without?")
	p.sees("3) Stop")
	p.types("3")
	code, screen := p.leaves()
	require.Equal(t, 3, code, screen)
	require.Contains(t, screen, "stopped before a model was called: python lint cannot run: "+installsRuff)
	require.Empty(t, w.journal.String())
}

// Without a terminal the question is printed with the command that installs the linter, before the first request.
func TestPreflight_WithoutATerminalSaysWhatInstallsIt(t *testing.T) {
	t.Parallel()
	w := lintedFolder(t)
	w.settings("required: [python lint]\n")
	_, _, stderr := w.run("run", "--trust", "--yes", "add B")
	require.Regexp(t, `(?s)Continue without\?\n        `+installsRuff+`\n        No terminal for questions.*model: `, stderr)
}
