package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// Files that other projects keep next to theirs are no projects.
func TestProjects_ThatAreNoneHaveNoGates(t *testing.T) {
	t.Parallel()
	files := sumModule()
	files["package.json"] = `{"scripts": {"prepare": "husky"}, "devDependencies": {"husky": "9"}}`
	files["docs/requirements.txt"] = "mkdocs\n"
	files["pyproject.toml"] = "[tool.codespell]\nskip = \"*.sum\"\n"
	files["ui/go.mod"] = "module none\n"
	w := scripted(t, decideExecutor, files)
	code, stdout, stderr := w.run("validate", "--trust")
	require.Equal(t, 0, code, stdout+stderr)
	require.NotRegexp(t, `node|javascript|python|\(ui\)`, stdout)
	w.put(map[string]string{"docs/conf.py": "A = 1\n", "hooks/a.mjs": "export {};\n"})
	code, stdout, stderr = w.run("validate")
	require.Equal(t, 0, code, stdout+stderr)
	require.Contains(t, stdout, "pass     node syntax: 1 file parsed", "the twin")
	require.Contains(t, stdout, "pass     python syntax: 1 file compiled")
}

// A package.json for tools beside a project of Python has no gates, either.
func TestProjects_APackageJSONBesidePythonHasNoGates(t *testing.T) {
	t.Parallel()
	testkit.Tool(t, "python3", "Python")
	w := scripted(t, decideExecutor, map[string]string{
		"package.json": `{"devDependencies": {"husky": "9"}}`, "docs/requirements.txt": "mkdocs\n",
		"pyproject.toml": "[project]\nname = \"two\"\nversion = \"1\"\n", "two.py": "TWO = 2\n",
		"test_two.py": "import unittest\nfrom two import TWO\n\nclass T(unittest.TestCase):\n    def test_two(self): self.assertEqual(TWO, 2)\n",
	})
	code, stdout, stderr := w.run("validate", "--trust")
	require.Zero(t, code, stdout+stderr)
	require.NotRegexp(t, `node|javascript|\(docs\)`, stdout)
	require.Contains(t, stdout, "pass     python test: 1 test passed")
}

// A folder within a module is part of it: its runs are those of the module, and so is what is undone from there. Outside of a git repository
// a folder stands for itself.
func TestProjects_AreFoundFromAFolderInThem(t *testing.T) {
	t.Parallel()
	files := sumModule()
	files["cmd/tool/README.md"] = "a tool\n"
	w := scripted(t, decideExecutor+writeTests+writeRight+reviewPass, files)
	code, stdout, stderr := w.run("validate", "--trust", "--dir", "cmd/tool")
	require.Equal(t, 3, code, "no repository: "+stdout+stderr)

	w.git("init", "-q")
	code, stdout, stderr = w.run("validate", "--trust", "--dir", "cmd/tool", "--file", "README.md")
	require.Equal(t, 0, code, stdout+stderr)
	require.Contains(t, stdout, "pass     go build: ")
	require.Contains(t, stdout, "pass     file: 1 of 1 file found")
	code, stdout, stderr = w.run("run", "--yes", "--dir", "cmd/tool", "add Add to package sum")
	require.Equal(t, 0, code, stdout+stderr)
	require.Contains(t, stderr, "[forge] cmd/tool is part of the project in ")
	require.Contains(t, texts(t, w.root), "add.go")
	w.played()
	code, stdout, stderr = w.run("undo", "--yes", "--dir", "cmd/tool")
	require.Equal(t, 0, code, stdout+stderr)
	require.NotContains(t, texts(t, w.root), "add.go")
}
