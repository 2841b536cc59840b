package cli

import (
	"os"
	"path/filepath"
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

// What is changed from a folder within a project is undone from there: each command means the project, and paths that the user names are those of the folder.
func TestProjects_ChangesFromAFolderInThemAreUndoneThere(t *testing.T) {
	t.Parallel()
	w := scripted(t, `
- {match: {node: answer}, times: -1, reply: {text: "It adds."}}`, map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.24\n", "m.go": "package m\n\nconst Text = \"old\"\n",
		"near/near.go":     "package near\n\nimport \"example.com/m\"\n\nconst Text = m.Text + \"old\"\n\nvar local = Text\n",
		"near/below/n.txt": "deep\n", "near/.vscode/tasks.json": "{\"make\": 1}\n",
	})
	w.git("init", "-q")
	w.said(0, "trust")
	near := filepath.Join(w.root, "near")
	now := func() map[string]string {
		return map[string]string{"m.go": texts(t, w.root)["m.go"], "near/near.go": texts(t, near)["near.go"],
			"near/below/n.txt": texts(t, filepath.Join(near, "below"))["n.txt"], "near/.vscode/tasks.json": texts(t, filepath.Join(near, ".vscode"))["tasks.json"]}
	}
	before := now()
	patch := filepath.Join(t.TempDir(), "patch.diff")
	require.NoError(t, os.WriteFile(patch, []byte("--- a/near.go\n+++ b/near.go\n@@ -5 +5 @@\n-const Text = m.Text + \"old\"\n+const Text = m.Text + \"new\"\n"), 0o600))
	whole := filepath.Join(t.TempDir(), "whole.diff")
	require.NoError(t, os.WriteFile(whole, []byte("--- a/near/near.go\n+++ b/near/near.go\n@@ -5 +5 @@\n-const Text = m.Text + \"old\"\n+const Text = m.Text + \"new\"\n"), 0o600))
	for name, c := range map[string]struct {
		args []string
		want map[string]string // what the files contain then
	}{
		"a rename in the project":    {[]string{"rename", "Text", "Words", "--path", "near.go", "--scope", "all"}, map[string]string{"m.go": "Words =", "near/near.go": "m.Words"}},
		"a replacement in it":        {[]string{"replace", "old", "new"}, map[string]string{"m.go": `"old"`, "near/near.go": `"new"`}},
		"a replacement in its files": {[]string{"replace", "old", "new", "--path", "*.go"}, map[string]string{"m.go": `"old"`, "near/near.go": `"new"`}},
		"a patch of its files":       {[]string{"apply", patch}, map[string]string{"m.go": `"old"`, "near/near.go": `"new"`}},
		"names at any depth":         {[]string{"replace", "deep", "flat", "--path", "*.txt"}, map[string]string{"m.go": `"old"`, "near/below/n.txt": "flat"}},
		"a file as it is printed":    {[]string{"rename", "local", "own", "--path", "near/near.go"}, map[string]string{"near/near.go": "own"}},
		"a file by its whole path":   {[]string{"rename", "local", "own", "--path", filepath.Join(near, "near.go")}, map[string]string{"near/near.go": "own"}},
		"the top, not any depth":     {[]string{"replace", "old", "new", "--path", "../*.go"}, map[string]string{"m.go": `"new"`, "near/near.go": `"old"`}},
		"a patch as git prints it":   {[]string{"apply", whole}, map[string]string{"m.go": `"old"`, "near/near.go": `"new"`}},
		"a control file":             {[]string{"replace", "make", "run", "--path", ".vscode/tasks.json", "--allow-control", ".vscode/tasks.json"}, map[string]string{"near/.vscode/tasks.json": "run"}},
	} {
		w.said(0, append(c.args, "--yes", "--dir", near)...)
		for file, text := range c.want {
			require.Contains(t, now()[file], text, name)
		}
		w.said(0, "undo", "--yes", "--dir", near)
		require.Equal(t, before, now(), name)
	}
	for _, absent := range []string{"m.go", "below.txt"} { // what is in the project, and not in the folder
		require.Contains(t, w.said(1, "replace", "old", "new", "--yes", "--dir", near, "--path", absent), "does not occur in any text of near/"+absent)
	}
	require.Contains(t, w.said(3, "replace", "make", "run", "--yes", "--dir", near, "--path", ".vscode/tasks.json"), "use --allow-control .vscode/tasks.json")
	said := w.said(0, "ask", "--dir", "near", "--file", "near.go", "what is this?")
	require.Contains(t, said, "[forge] near is part of the project in ")
	require.Contains(t, w.said(2, "ask", "--dir", "near", "--file", "no.go", "what is this?"), "--file near/no.go does not exist")
	w.said(0, "untrust")
	require.Contains(t, w.said(3, "replace", "old", "new", "--yes", "--dir", "near"), "use --trust, or forge trust "+w.root)
}
