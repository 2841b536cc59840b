package run

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// A process that a test starts with an environment of its own, without PYTHONPATH, imports the changed package and a new module of it, not what the
// folder has in which the virtual environment has it installed in place.
func TestRun_AProcessWithACleanedEnvironmentSeesTheChange(t *testing.T) {
	t.Parallel()
	for name, layout := range testkit.SampleMap(0, map[string]struct{ folder, ignored string }{
		"src":           {"src/", ""},
		"flat":          {"", ""},
		"src, versions": {"src/", "src/ours/_version.py"},
	}, "src, versions") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := folder(t, map[string]string{
				"pyproject.toml":                   "[project]\nname = \"ours\"\n[tool.pytest.ini_options]\n",
				layout.folder + "ours/__init__.py": "X = 1\n",
				"tests/test_old.py":                "import ours\n\n\ndef test_old():\n    assert ours.X\n",
				".gitignore":                       ".venv\n_version.py\n",
			})
			w.environment(".venv")
			imported := "import ours.new; print(ours.X, ours.new.Y)"
			if layout.ignored != "" {
				put(t, w.root, layout.ignored, "V = 3\n")
				imported += "; import ours._version"
			}
			packages, err := filepath.Glob(filepath.Join(w.root, ".venv", "lib", "python*", "site-packages"))
			require.NoError(t, err)
			require.Len(t, packages, 1)
			put(t, packages[0], "ours.pth", filepath.Join(w.root, layout.folder)+"\n") // as an editable installation writes it
			exit, stderr := w.changed(
				[2]string{"tests/test_new.py", "import subprocess\nimport sys\n\n\ndef test_new():\n    command = [sys.executable, '-c', '" + imported + "']\n" +
					"    run = subprocess.run(command, env={'PATH': ''}, cwd='/', capture_output=True, text=True)\n    assert (run.stdout, run.stderr) == ('2 5\\n', '')\n"},
				[2]string{layout.folder + "ours/__init__.py", "X = 2\n"},
				[2]string{layout.folder + "ours/new.py", "Y = 5\n"},
			)
			require.Zero(t, exit, stderr)
		})
	}
}
