package judge

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/pipeline/work"
)

func TestProject_ReportsThatNoGateChecksIt(t *testing.T) {
	t.Parallel()
	p := work.Project{Known: []string{"go (go.mod)", "rust (Cargo.toml)"}}
	require.Equal(t, "nothing checks this change: Forge finds projects of go (go.mod), rust (Cargo.toml), and there is none here. "+
		"Your settings can add a command that does (gates)", p.Unchecked())
	p.Waived = []string{"go test", "gofmt"}
	require.Equal(t, "nothing checks this change: your settings waive go test, gofmt", p.Unchecked())
	require.False(t, gate.Verified([]gate.Report{waived("mypy")}), "a waived gate verifies nothing")
	require.Equal(t, "waived in your settings", waived("mypy").Summary)
	p.Gates = []string{"gofmt"}
	require.Empty(t, p.Unchecked())
}
