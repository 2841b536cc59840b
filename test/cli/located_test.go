package cli

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// broken are two projects whose tests fail in ways in which tools name no place, or one that is not in the folder.
var broken = map[string]string{
	"go.mod": "module example.com/sum\n\ngo 1.24\n",
	"sum.go": "// Package sum adds up.\npackage sum\n\nimport \"strings\"\n\n// Line draws a line.\nfunc Line(n int) string { return strings.Repeat(\"-\", n) }\n",
	"sum_test.go": "package sum\n\nimport \"testing\"\n\nfunc TestMute(t *testing.T) { t.Fail() }\n\n" +
		"func TestLine(t *testing.T) {\n\tif Line(-1) != \"\" {\n\t\tt.Error(\"a line\")\n\t}\n}\n",
	"crate/Cargo.toml": "[package]\nname = \"sum\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
	"crate/src/lib.rs": "//! Sums.\n\n/// Adds.\npub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n" +
		"    #[test]\n    fn adds() {\n        assert_eq!(add(1, 2), 4);\n    }\n\n    #[test]\n    fn mute() -> Result<(), String> {\n        Err(String::new())\n    }\n}\n",
}

// forge validate reports each finding at a line of a file, even if the tool names none: a panic below a test, a test that fails
// without a message, an assertion of Rust's.
func TestValidateCommand_LocatesFailures(t *testing.T) {
	t.Parallel()
	w := scripted(t, "\n- {match: {node: orchestrator}, reply: {json: {action: executor, reason: never asked}}}", broken)
	code, stdout, stderr := w.run("validate", "--dir", w.root, "--trust", "--json")
	require.Equal(t, 1, code, stdout+stderr)
	var result struct {
		Gates []struct {
			Findings []struct {
				Path, Message string
				Line          int
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &result))
	at := map[string]map[int]string{}
	for _, g := range result.Gates {
		for _, f := range g.Findings {
			require.NotEmpty(t, f.Path, f.Message)
			require.Positive(t, f.Line, f.Message)
			if at[f.Path] == nil {
				at[f.Path] = map[int]string{}
			}
			at[f.Path][f.Line] += f.Message
		}
	}
	require.Contains(t, at["sum_test.go"][5], "failed without a message")
	require.Contains(t, at["sum_test.go"][8], "panic: strings: negative Repeat count")
	testkit.Tool(t, "cargo", "https://rustup.rs")
	require.Contains(t, at["crate/src/lib.rs"][14], "left == right")
	require.Contains(t, at["crate/src/lib.rs"][18], `Error: ""`)
}
