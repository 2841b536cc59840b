package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A new test that cannot compile whatever is implemented proves nothing. It goes back to its author with what the compiler says, before
// anybody implements.
func TestRed_AMistakeOfTheTestGoesBackBeforeTheChange(t *testing.T) {
	t.Parallel()
	unsound := strings.Replace(writeTests, "if got := Add(2, 2)", "last := 1\n            \tif got := Add(2, 2)", 1)
	sound := strings.Replace(writeTests, "[You write tests]", "[You write tests, 'add_test.go:6: declared and not used: last']", 1)
	w := scripted(t, decideExecutor+unsound+sound+writeRight+reviewPass, sumModule())
	code, stdout, stderr := w.run("run", "--yes", "--trust", "add Add")
	require.Zero(t, code, stdout+stderr)
	require.Contains(t, stderr, "the new tests do not compile, and not because something is missing: add_test.go:6: declared and not used: last")
	require.Contains(t, w.read("add.go"), "return a + b")
	require.NotContains(t, w.read("add_test.go"), "last")
	require.Equal(t, 3, w.journal.requests("executor"))
	w.played()
}
