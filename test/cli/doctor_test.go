package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// In a trusted folder doctor reports for each gate whether its program exists, and never reports an existing one as
// missing.
func TestDoctor_ListsProgramsOfEachGate(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor, sumModule())
	code, stdout, stderr := w.run("validate", "--trust", "--gate", "go build")
	require.Equal(t, 0, code, stdout+stderr)
	w.environ = append(w.environ, "TMPDIR="+t.TempDir()) // in /tmp, of which a jail has its own
	code, stdout, stderr = w.run("doctor", "--dir", w.root)
	require.Equal(t, 0, code, stdout+stderr)
	for _, gate := range []string{"gofmt", "go vet", "go build", "go test"} {
		require.Regexp(t, `(?m)^`+gate+` +ok +\S`, stdout)
	}
	require.NotContains(t, stdout, "missing")
}
