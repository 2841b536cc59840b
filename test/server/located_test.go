package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"

	"forge/api"
	"forge/internal/testkit"
)

// Failures of tests are shown in the documents, even if the tool names no place: a panic in code that a Go test runs is shown
// in the test, and so is an assertion of Rust's.
func TestServer_LocatesTestFailures(t *testing.T) {
	t.Parallel()
	d := start(t, setting{})
	require.NoError(t, d.engine.Trust(d.root))
	put := func(name, text string) {
		t.Helper()
		name = filepath.Join(d.root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	put("sum.go", "package sum\n\n// Add adds.\nfunc Add(a, b int) int { panic(\"not yet\") }\n")
	put("crate/Cargo.toml", "[package]\nname = \"sum\"\nversion = \"0.1.0\"\nedition = \"2021\"\n")
	put("crate/src/lib.rs", "/// Adds.\npub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n")
	put("crate/tests/sum.rs", "#[test]\nfn adds() {\n    assert_eq!(sum::add(1, 2), 3);\n}\n")
	var result api.ValidateResult
	require.NoError(t, d.execute(api.Validate, nil, &result))
	require.Equal(t, "fail", result.Verdict)
	for _, g := range result.Gates {
		for _, f := range g.Findings {
			require.NotEmpty(t, f.Path, f.Message)
			require.Positive(t, f.Line, f.Message)
		}
	}
	d.shows("sum_test.go", 5, "panic: not yet")
	testkit.Tool(t, "cargo", "https://rustup.rs")
	d.shows("crate/tests/sum.rs", 2, "left == right")
}

// shows waits until a document has a diagnostic in a line, from 0, that says something.
func (d *harness) shows(name string, line uint32, said string) {
	d.t.Helper()
	d.Expect(protocol.MethodTextDocumentPublishDiagnostics, func(params []byte) bool {
		var p protocol.PublishDiagnosticsParams
		if protocol.Unmarshal(params, &p) != nil || p.URI != d.uri(name) {
			return false
		}
		for _, g := range p.Diagnostics {
			if message, is := g.Message.(protocol.String); is && g.Range.Start.Line == line && strings.Contains(string(message), said) {
				return true
			}
		}
		return false
	})
}
