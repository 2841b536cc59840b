package work

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/cmd/forge/terminal"
)

var update = flag.Bool("update", false, "rewrite the schema of plan files")

// The extension has the schema that forge plan schema prints, so that VS Code completes and checks plan files.
func TestPlanSchema_ExtensionHasTheSame(t *testing.T) {
	t.Parallel()
	const file = "../../../vscode-extension/schemas/plan.schema.json"
	var out bytes.Buffer
	c := newPlanSchema(terminal.Terminal{Out: &out})
	c.SetArgs([]string{})
	require.NoError(t, c.Execute())
	if *update {
		require.NoError(t, os.WriteFile(file, out.Bytes(), 0o644)) //nolint:gosec // a file of the repository
	}
	kept, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, out.String(), string(kept))
}
