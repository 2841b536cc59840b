package python_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/python"
	"forge/engine/sandbox"
	"forge/engine/shadow"
	"forge/engine/workspace"
)

// In a scratch tree the project's own environment runs, and what it tests is the tree: not the person's folder, to which an editable
// installation leads.
func TestAScratchTreeHasTheEnvironmentOfTheFolder(t *testing.T) {
	t.Parallel()
	folder := bare(t, "-- pyproject.toml --\n[tool.pytest.ini_options]\n-- .gitignore --\n.venv\n-- src/ours/__init__.py --\nX = 1\n"+
		"-- tests/test_x.py --\nimport sys\n\nimport only_here\nfrom ours import X\n\n\ndef test_x():\n    assert X == 2\n    assert only_here.Y == 3\n    assert sys.prefix != sys.base_prefix\n")
	runner := sandbox.New(sandbox.Options{Environ: os.Environ()})
	result, err := runner.Run(t.Context(), sandbox.Command{
		Argv: []string{filepath.Join(environment, "bin", "python3"), "-m", "venv", "--without-pip", ".venv"}, Dir: folder.Dir(),
	})
	require.NoError(t, err)
	require.Zero(t, result.ExitCode, string(result.Stderr))
	packages, err := filepath.Glob(filepath.Join(folder.Dir(), ".venv", "lib", "python3*", "site-packages"))
	require.NoError(t, err)
	require.Len(t, packages, 1)
	theirs, err := filepath.Glob(filepath.Join(environment, "lib", "python3*", "site-packages"))
	require.NoError(t, err)
	put(t, filepath.Join(packages[0], "only_here.py"), "Y = 3\n")
	put(t, filepath.Join(packages[0], "editable.pth"), filepath.Join(folder.Dir(), "src")+"\n"+strings.Join(theirs, "\n")+"\n")

	const path = "src/ours/__init__.py"
	repo, err := shadow.Open(t.Context(), runner, t.TempDir(), folder.Dir())
	require.NoError(t, err)
	for text, verdict := range map[string]gate.Verdict{"X = 2\n": gate.Pass, "X = 3\n": gate.Fail} {
		snapshot, err := repo.Snapshot(t.Context(), workspace.Snapshot{
			Root: folder.Dir(), Unsaved: map[string]workspace.Document{path: {Path: path, Text: text, Version: 1}},
		})
		require.NoError(t, err)
		tree, err := repo.Checkout(t.Context(), snapshot)
		require.NoError(t, err)
		report := runIn(t, tree)
		require.Equal(t, verdict, report.Verdict, "%s\n%s", report.Summary, report.Output)
		if verdict == gate.Fail {
			require.Equal(t, "tests/test_x.py:8 [test] {tests.test_x.test_x} assert 3 == 2\n", show(report.Findings))
		}
		changes, err := tree.Changes(t.Context())
		require.NoError(t, err)
		require.Empty(t, changes.Files, "the tests left nothing in the tree")
		require.NoError(t, tree.Close())
	}
}

func runIn(t *testing.T, tree gate.Tree) gate.Report {
	t.Helper()
	for _, g := range python.Gates(machine()) {
		if g.Name() == "python test" {
			return g.Run(t.Context(), tree)
		}
	}
	t.Fatal("no tests")
	return gate.Report{}
}

func put(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
}
