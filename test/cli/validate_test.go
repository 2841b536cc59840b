package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// forge validate: nothing runs before the folder is trusted; 0 when all passed, 1 when something failed, 3 when nothing was
// checked or a gate could not run. No model is asked, and the folder stays as it is.
func TestValidate(t *testing.T) {
	t.Parallel()
	w := scripted(t, "\n- {match: {node: orchestrator}, reply: {json: {action: executor, reason: never asked}}}", sumModule())
	code, _, stderr := w.run("validate", "--dir", w.root)
	require.Equal(t, 3, code)
	require.Contains(t, stderr, "forge validate --trust")

	code, stdout, stderr := w.run("validate", "--dir", w.root, "--trust")
	require.Equal(t, 0, code, stdout+stderr)
	require.Contains(t, stdout, "pass     go build: ")
	require.Contains(t, stdout, "not-run  go test: no tests", "a project without tests")

	bad := filepath.Join(w.root, "bad.go")
	require.NoError(t, os.WriteFile(bad, []byte("package sum\n\nvar  X = 1\n"), 0o600))
	code, stdout, _ = w.run("validate", "--dir", w.root, "--json")
	require.Equal(t, 1, code)
	var result struct {
		Verdict string
		Gates   []struct {
			Name, Verdict string
			Findings      []struct {
				Path string
				Line int
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &result))
	require.Equal(t, "fail", result.Verdict)
	require.Equal(t, "gofmt", result.Gates[0].Name)
	require.Equal(t, "bad.go", result.Gates[0].Findings[0].Path)
	require.Equal(t, 3, result.Gates[0].Findings[0].Line)
	text, err := os.ReadFile(bad)
	require.NoError(t, err)
	require.Equal(t, "package sum\n\nvar  X = 1\n", string(text))

	code, stdout, _ = w.run("validate", "--trust", "--dir", t.TempDir())
	require.Equal(t, 3, code)
	require.Contains(t, stdout, "rust (Cargo.toml)")
}
