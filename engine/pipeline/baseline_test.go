package pipeline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
)

// What stands in the way before anything is bought is said with what a person can do about it.
func TestWordsOfTheBaseline(t *testing.T) {
	t.Parallel()
	p := Project{Known: []string{"go (go.mod)", "rust (Cargo.toml)"}}
	require.Equal(t, "no gate knows this folder: Forge finds projects of go (go.mod), rust (Cargo.toml), and there is none here. "+
		"A command of your own can check it: gates in your settings", p.unchecked())
	p.Waived = []string{"go test", "gofmt"}
	require.Equal(t, "nothing would check what is changed: your settings waive go test, gofmt", p.unchecked())
	require.Contains(t, unable(gate.Report{Gate: "mypy", Summary: "it is not installed"}), "mypy could not check the folder as it is: it is not installed")
	require.Contains(t, unable(gate.Report{Gate: "mypy"}), "waive: [mypy]")
	told := waived("mypy")
	require.False(t, gate.Open([]gate.Report{told}), "a waived gate opens nothing")
	require.Equal(t, "waived in your settings", told.Summary)
}
