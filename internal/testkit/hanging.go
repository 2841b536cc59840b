package testkit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// HangingModel returns the path of a copy of a script of the scripted model in which the model never answers who implements a change: a run
// stays in the middle of its work until it is stopped.
func HangingModel(t testing.TB, script string) string {
	t.Helper()
	text, err := os.ReadFile(script)
	require.NoError(t, err)
	const begin = "\nentries:\n"
	require.Contains(t, string(text), begin)
	hang := begin + "- {match: {node: executor, contains: [You implement a change]}, times: -1, fault: {kind: hang}}\n"
	path := filepath.Join(t.TempDir(), "hanging.yaml")
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), begin, hang, 1)), 0o600))
	return path
}
