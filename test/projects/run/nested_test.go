package run

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// world is a folder, and a state of Forge's own.
type world struct {
	t          *testing.T
	root, home string
	environ    []string // beside that of the process
}

func folder(t *testing.T, files map[string]string) *world {
	t.Helper()
	w := &world{t: t, root: filepath.Join(t.TempDir(), "project"), home: t.TempDir()}
	w.put(files)
	return w
}

func (w *world) put(files map[string]string) {
	w.t.Helper()
	for name, text := range files {
		put(w.t, w.root, name, text)
	}
}

func (w *world) run(args ...string) (code int, stdout, stderr string) {
	w.t.Helper()
	var out, said bytes.Buffer
	c := exec.CommandContext(w.t.Context(), forge, args...)
	c.Dir, c.Env, c.Stdout, c.Stderr = w.root, append(append(os.Environ(), w.environ...), "FORGE_HOME="+w.home), &out, &said
	if err := c.Run(); err != nil {
		exit := (*exec.ExitError)(nil)
		require.ErrorAs(w.t, err, &exit)
	}
	return c.ProcessState.ExitCode(), out.String(), said.String()
}

// environment makes a virtual environment in the folder that has pytest, and one package of its own.
func (w *world) environment(name string) {
	w.t.Helper()
	tools := installed(w.t, "python")
	out, err := exec.CommandContext(w.t.Context(), filepath.Join(tools, "bin", "python3"), "-m", "venv", "--without-pip", filepath.Join(w.root, name)).CombinedOutput()
	require.NoError(w.t, err, string(out))
	const packages = "lib/python*/site-packages"
	mine, err := filepath.Glob(filepath.Join(w.root, name, packages))
	require.NoError(w.t, err)
	require.Len(w.t, mine, 1)
	theirs, err := filepath.Glob(filepath.Join(tools, packages))
	require.NoError(w.t, err)
	put(w.t, mine[0], "only_installed.py", "VALUE = 7\n")
	put(w.t, mine[0], "tools.pth", strings.Join(theirs, "\n")+"\n")
}

// A repository like click's: examples with a pyproject.toml of their own, settings of pytest that hold for the root, packages with and
// without tests. A folder in which pytest, started by hand, finds nothing is no failure, and nothing is checked twice. Git ignores the
// virtual environment of none of these, and it is used, also by a project below it.
func TestProjects_OfPythonAreCheckedAsByHand(t *testing.T) {
	t.Parallel()
	for _, name := range testkit.Sample(1, []string{".venv", "environment of mine", "a link"}) {
		w := folder(t, map[string]string{
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
		require.Contains(t, stdout, "python test: 1 test passed", name)
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
