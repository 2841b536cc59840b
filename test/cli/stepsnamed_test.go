package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// Steps of the script test whose programs are not installed are named with the command that installs them, by forge validate and by a run, also beside
// a step that runs. The tests decide.
func TestScriptSteps_ThoseThatAreNotInstalledAreNamed(t *testing.T) {
	t.Parallel()
	testkit.Tool(t, "node", "Node.js")
	const lacks = "xo and tsd are not installed; `npm install` installs them"
	files := linted()
	files["package.json"] = `{"type": "module", "scripts": {"test": "xo && tsd && node --test"}}`
	w := scripted(t, taken("documentation")+written("You write documentation", "two.js", "write", "// Two.\nexport const two = 2;\n")+reviewPass, files)
	stdout := w.said(3, "validate", "--trust")
	require.Contains(t, stdout, "not-run  javascript script: "+lacks)
	require.Contains(t, stdout, "pass     javascript test: 1 test passed")

	stderr := w.said(0, "run", "--yes", "describe two in a comment")
	require.Contains(t, stderr, "javascript script "+lacks)
	require.Contains(t, stderr, "✓ javascript test 1 test passed")
	require.Contains(t, w.read("two.js"), "// Two.")

	bin := filepath.Join(w.root, "node_modules", ".bin")
	require.NoError(t, os.MkdirAll(bin, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(bin, "xo"), []byte("#!/bin/sh\n"), 0o755)) //nolint:gosec // a program
	stdout = w.said(0, "validate", "--gate", "javascript script")
	require.Contains(t, stdout, "pass     javascript script: xo of the script test passed; not installed: tsd")
	w.played()
}

// A formatter of Python that has something to say about examples in Markdown gives no finding in a document, and those in code stay.
func TestFormat_DocumentsAreNoFindingsOfPython(t *testing.T) {
	t.Parallel()
	const ruff = `#!/bin/sh
[ "$1" = format ] || exit 0
printf -- '--- README.md\n+++ README.md\n@@ -1,3 +1,3 @@\n \n-x  =  1\n+x = 1\n'
[ ! -e ugly.py ] || printf -- '--- ugly.py\n+++ ugly.py\n@@ -1 +1 @@\n-B  =  1\n+B = 1\n'
echo "$(ls *.py | wc -l) files would be reformatted, 1 file already formatted" >&2
exit 1
`
	w := scripted(t, decideExecutor, map[string]string{
		"pyproject.toml": "[tool.ruff]\n", ".pre-commit-config.yaml": "repos:\n- repo: x\n  hooks:\n  - id: ruff-format\n",
		"a.py": "A = 1\n", "README.md": "\nx  =  1\n",
	})
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "ruff"), []byte(ruff), 0o755)) //nolint:gosec // a program
	w.environ = append(w.environ, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	stdout := w.said(0, "validate", "--trust", "--gate", "python format")
	require.Contains(t, stdout, "pass     python format: 1 file formatted")
	require.NotContains(t, stdout, "README.md")

	w.put(map[string]string{"ugly.py": "B  =  1\n"})
	stdout = w.said(1, "validate", "--gate", "python format")
	require.Contains(t, stdout, "ugly.py:1: not as ruff formats it", "the twin")
	require.NotContains(t, stdout, "README.md")
}
