package rust

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/sandbox"
)

// Clippy is the compiler with more lints: what it has compiled without an error is not compiled once more.
func TestCheck_IsNotRunWhereClippyCompiledTheSameFiles(t *testing.T) {
	t.Parallel()
	const warning = `{"reason":"compiler-message","package_id":"i","message":{"message":"needless","level":"warning","code":{"code":"clippy::needless_return"},"spans":[{"file_name":"src/lib.rs","line_start":1,"is_primary":true}]}}` + "\n"
	for name, tt := range map[string]struct {
		clippy  sandbox.Result
		between string // a file that is written between the two
		checks  int
	}{
		"without findings":              {says(artifact + finished), "", 0},
		"with lints":                    {says(artifact + warning + finished), "", 0},
		"with an error":                 {fails(101, artifact+strings.ReplaceAll(warning, "warning", "error"), ""), "", 1},
		"with an error of the compiler": {fails(101, artifact+strings.NewReplacer("warning", "error", "clippy::needless_return", "E0308").Replace(warning), ""), "", 0},
		"of nothing":                    {says(finished), "", 1},
		"of an earlier text":            {says(artifact + finished), "src/lib.rs", 1},
		"without a file":                {says(artifact + finished), "src/more.rs", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var started []sandbox.Command
			gates := Language(canned{says: changed("cargo-clippy", tt.clippy), started: &started}, t.TempDir()).Gates
			tree := write(t, "-- Cargo.toml --\n-- src/lib.rs --\n")
			gates[2].Run(t.Context(), tree)
			if tt.between != "" {
				require.NoError(t, os.WriteFile(filepath.Join(tree.Dir(), tt.between), []byte("//\n"), 0o600))
			}
			report := gates[1].Run(t.Context(), tree)
			if strings.HasSuffix(name, "of the compiler") {
				require.Equal(t, gate.Fail, report.Verdict)
				require.Equal(t, "E0308", report.Findings[0].Rule)
			} else {
				require.Equal(t, gate.Pass, report.Verdict)
			}
			require.Equal(t, 1, report.Executed)
			require.Equal(t, nameCheck, report.Gate)
			require.Equal(t, tt.checks == 0, strings.Contains(report.Summary, "compiled by clippy"), report.Summary)
			n := 0
			for _, c := range started {
				if c.Argv[0] == "cargo" && c.Argv[1] == "check" {
					n++
				}
			}
			require.Equal(t, tt.checks, n)
		})
	}
}

// Tests get no incremental data, and what they write in its place is not compiled with.
func TestIncrementalData_IsOutOfReachOfTests(t *testing.T) {
	t.Parallel()
	target := filepath.Join(t.TempDir(), "target")
	data := filepath.Join(target, "debug", incremental)
	put := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	put(filepath.Join(data, "m-1", "graph"), "true")
	put(filepath.Join(target, "x86_64", "debug", incremental, "m-2", "graph"), "true")
	require.NoError(t, putAside(target))
	require.NoDirExists(t, data)
	put(filepath.Join(data, "m-1", "graph"), "forged")
	elsewhere := t.TempDir()
	require.NoError(t, os.RemoveAll(filepath.Join(target, "x86_64")))
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(target, "x86_64")))
	require.NoError(t, os.Mkdir(filepath.Join(elsewhere, "debug"), 0o755))
	require.NoError(t, takeBack(target))
	text, err := os.ReadFile(filepath.Join(data, "m-1", "graph"))
	require.NoError(t, err)
	require.Equal(t, "true", string(text))
	require.NoDirExists(t, filepath.Join(elsewhere, "debug", incremental), "a link leads nowhere")
	require.NoError(t, takeBack(target), "a second time")
	require.DirExists(t, data)
}
