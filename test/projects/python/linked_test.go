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
	"forge/internal/testkit"
)

// finder is a module that looks other modules up for an editable installation; HOW puts it among the others.
const finder = `import importlib.util
import sys

MAPPING = {"ours": "FOLDER/code/ours"}


class Finder:
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        at = MAPPING.get(name)
        return at and importlib.util.spec_from_file_location(name, at + "/__init__.py")


sys.meta_path.HOW
`

// In a scratch tree the project's own environment runs, and tests the tree: not the user's folder, to which an editable installation
// leads, whatever its kind.
func TestPythonEnvironment_TestsTheScratchTree(t *testing.T) {
	t.Parallel()
	for name, of := range testkit.SampleMap(0, map[string]struct{ in, pth, finder string }{
		"src":            {"src", "FOLDER/src", ""},
		"another folder": {"code", "FOLDER/code", ""},
		"a finder":       {"code", "import finder_of_ours", strings.ReplaceAll(finder, "HOW", "append(Finder)")},
		"a first finder": {"code", "import finder_of_ours", strings.ReplaceAll(finder, "HOW", "insert(0, Finder)")},
	}, "a finder") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := installed(t, of.in, of.pth, of.finder)
			path := of.in + "/ours/__init__.py"
			for text, verdict := range map[string]gate.Verdict{"X = 2\n": gate.Pass, "X = 3\n": gate.Fail} {
				report := changed(t, folder, path, text)
				require.Equal(t, verdict, report.Verdict, "%s\n%s", report.Summary, report.Output)
				if verdict == gate.Fail {
					require.Equal(t, "tests/test_x.py:8 [test] {tests.test_x.test_x} assert 3 == 2\n", show(report.Findings))
				}
			}
		})
	}
}

// Tests that import the user's folder anyway are no verdict on the tree.
func TestPythonEnvironment_RejectsTestsOfAnotherCopy(t *testing.T) {
	t.Parallel()
	hidden := strings.NewReplacer("HOW", "insert(0, Finder)", "MAPPING", "known").Replace(finder)
	folder := installed(t, "code", "import finder_of_ours", hidden)
	for _, text := range []string{"X = 2\n", "X = 3\n"} {
		report := changed(t, folder, "code/ours/__init__.py", text)
		require.Equal(t, gate.Error, report.Verdict, "%s\n%s", report.Summary, report.Output)
		require.Contains(t, report.Summary, "refers to its own folder")
		require.Contains(t, report.Summary, "code/ours/__init__.py")
		require.Empty(t, report.Findings)
	}
}

// In the project of pytest, or of its dependencies, the tree's own is tested: pytest had already loaded the user's.
func TestPythonEnvironment_TestsPytestItselfInTheTree(t *testing.T) {
	t.Parallel()
	const path = "src/iniconfig/__init__.py"
	folder := installed(t, "src", "FOLDER/src", "")
	theirs, err := filepath.Glob(filepath.Join(environment, "lib", "python3*", "site-packages", "iniconfig", "*.py"))
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(folder.Dir(), "src", "iniconfig"), 0o755))
	for _, file := range theirs {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		put(t, filepath.Join(folder.Dir(), "src", "iniconfig", filepath.Base(file)), string(text))
	}
	put(t, filepath.Join(folder.Dir(), "tests", "test_x.py"), "import iniconfig\n\n\ndef test_x():\n    assert iniconfig.X == 2\n")
	code, err := os.ReadFile(filepath.Join(folder.Dir(), filepath.FromSlash(path)))
	require.NoError(t, err)
	for text, verdict := range map[string]gate.Verdict{"X = 2\n": gate.Pass, "X = 3\n": gate.Fail} {
		report := changed(t, folder, path, string(code)+text)
		require.Equal(t, verdict, report.Verdict, "%s\n%s", report.Summary, report.Output)
	}
}

// installed makes a user's folder with code in a folder of it, and an environment of its own that leads to it.
func installed(t *testing.T, in, pth, finder string) dir {
	t.Helper()
	folder := bare(t, "-- pyproject.toml --\n[tool.pytest.ini_options]\n-- .gitignore --\n.venv\n-- "+in+"/ours/__init__.py --\nX = 1\n"+
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
	place := strings.NewReplacer("FOLDER", folder.Dir())
	put(t, filepath.Join(packages[0], "only_here.py"), "Y = 3\n")
	put(t, filepath.Join(packages[0], "finder_of_ours.py"), place.Replace(finder))
	put(t, filepath.Join(packages[0], "editable.pth"), place.Replace(pth)+"\n"+strings.Join(theirs, "\n")+"\n")
	return folder
}

// changed is what the tests say in a scratch tree of a folder of which a file has another text.
func changed(t *testing.T, folder dir, path, text string) gate.Report {
	t.Helper()
	repo, err := shadow.Open(t.Context(), machine(), t.TempDir(), folder.Dir())
	require.NoError(t, err)
	snapshot, err := repo.Snapshots.Take(t.Context(), workspace.Snapshot{
		Root: folder.Dir(), Unsaved: map[string]workspace.Document{path: {Path: path, Text: text, Version: 1}},
	})
	require.NoError(t, err)
	tree, err := repo.Trees.Checkout(t.Context(), snapshot)
	require.NoError(t, err)
	report := runIn(t, tree)
	changes, err := tree.Changes(t.Context())
	require.NoError(t, err)
	require.Empty(t, changes.Files, "the tests left nothing in the tree")
	require.NoError(t, tree.Close())
	return report
}

func runIn(t *testing.T, tree gate.Tree) gate.Report {
	t.Helper()
	for _, g := range python.Language(machine()).Gates {
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
