package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// environment makes a virtual environment in the folder in which there is one package of its own, and pytest where the system has it.
func (w *world) environment(name string) {
	w.t.Helper()
	out, err := exec.Command("python3", "-m", "venv", "--without-pip", "--system-site-packages", filepath.Join(w.root, name)).CombinedOutput()
	require.NoError(w.t, err, string(out))
	found, err := filepath.Glob(filepath.Join(w.root, name, "lib", "python*", "site-packages"))
	require.NoError(w.t, err)
	require.NotEmpty(w.t, found)
	require.NoError(w.t, os.WriteFile(filepath.Join(found[0], "only_installed.py"), []byte("VALUE = 7\n"), 0o600))
}

// A repository like click's: examples with a pyproject.toml of their own, settings of pytest that hold for the root, packages with and
// without tests. What pytest finds nothing in when a person starts it there is no failure, and nothing is checked twice. Git ignores the
// virtual environment of none of these, and it is used, also by a project below it.
func TestProjects_OfPythonAreCheckedAsByHand(t *testing.T) {
	t.Parallel()
	for _, name := range []string{".venv", "environment of mine", "a link"} {
		w := scripted(t, decideExecutor, map[string]string{
			"pyproject.toml":                  "[project]\nname = \"a\"\n[tool.pytest.ini_options]\ntestpaths = [\"tests\"]\nfilterwarnings = [\"error\"]\n",
			"src/a.py":                        "A = 1\n",
			"tests/test_a.py":                 "import only_installed\nfrom a import A\n\ndef test_a():\n    assert A + only_installed.VALUE == 8\n",
			"examples/aliases/pyproject.toml": "[project]\nname = \"aliases\"\n",
			"examples/aliases/aliases.py":     "import a\n",
			"packages/b/pyproject.toml":       "[project]\nname = \"b\"\n",
			"packages/b/b.py":                 "B = 1\n",
			"packages/c/pyproject.toml":       "[project]\nname = \"c\"\n",
			"packages/c/c.py":                 "from a import A as C\n",
			"packages/c/tests/test_c.py":      "import only_installed\nfrom c import C\n\ndef test_c():\n    assert C + only_installed.VALUE == 8\n",
			"docs/requirements.txt":           "sphinx\n",
		})
		if name == "a link" {
			w.environment("../elsewhere")
			require.NoError(t, os.Symlink(filepath.Join("..", "elsewhere"), filepath.Join(w.root, ".venv")))
		} else {
			w.environment(name)
		}
		code, stdout, stderr := w.run("validate", "--trust")
		require.Equal(t, 0, code, stdout+stderr)
		require.Contains(t, stdout, "python test: 1 test passed")
		require.Contains(t, stdout, "python test (packages/c): 1 test passed")
		require.Contains(t, stdout, "not-run  python test (packages/b): no tests", "idle, as by hand")
		require.Equal(t, 1, strings.Count(stdout, "python syntax"), "one for all files: "+stdout)
		require.Contains(t, stdout, "python syntax: 6 files compiled")
		require.NotContains(t, stdout, "examples", "which have no tests")
		require.NotContains(t, stdout, "(docs)")

		w.put(map[string]string{"src/a.py": "A = 2\n"})
		code, stdout, _ = w.run("validate", "--gate", "python test (packages/c)")
		require.Equal(t, 1, code, "the twin: "+stdout)
		require.Contains(t, stdout, "packages/c/tests/test_c.py:5: ")
	}
}

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
