package rust

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/tool"
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

// A package in a folder beside the tree may change, and the files of the tree do not.
func TestDigest_IsEmptyWithAPackageOutsideOfTheTree(t *testing.T) {
	t.Parallel()
	tree := write(t, "-- Cargo.toml --\n-- src/lib.rs --\n")
	p := project{dir: tree.Dir(), root: tool.RootOf(tree), packages: map[string]pkg{"a": {uses: []dependency{{Name: "serde"}, {Path: filepath.Join(tree.Dir(), "b")}}}}}
	require.NotEmpty(t, p.digest())
	p.packages["c"] = pkg{uses: []dependency{{Path: filepath.Join(tree.Dir(), "../beside")}}}
	require.Empty(t, p.digest())
}
