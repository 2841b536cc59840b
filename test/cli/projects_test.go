package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Files that other projects keep beside them are no projects.
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
