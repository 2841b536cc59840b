package run

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Tests run in the workers that the project's settings ask for.
func TestProjects_OfPythonKeepTheirWorkers(t *testing.T) {
	t.Parallel()
	w := folder(t, map[string]string{
		"pyproject.toml": "[project]\nname = \"a\"\n[tool.pytest.ini_options]\naddopts = \"-n 2\"\n",
		"test_a.py":      "import os\n\n\ndef test_a():\n    assert os.environ['PYTEST_XDIST_WORKER'].startswith('gw')\n",
	})
	w.environment(".venv")
	code, stdout, stderr := w.run("validate", "--trust", "--gate", "python test")
	require.Zero(t, code, stdout+stderr)
	require.Contains(t, stdout, "python test: 1 test passed")
}
