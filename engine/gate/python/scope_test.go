package python

import (
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
)

// project writes files and reads what they say of themselves.
func projectOf(t *testing.T, files map[string]string) project {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	return inspect(folder(root))
}

func TestScope_IsTestsThatImportChangedFiles(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"pyproject.toml":        "[tool.pytest.ini_options]\ntestpaths = [\"tests\"]\n",
		"src/p/__init__.py":     "from .api import run as run\n",
		"src/p/api.py":          "from p import core\n",
		"src/p/core.py":         "import os, p.data as d\n",
		"src/p/data.py":         "D = 1\n",
		"src/p/table.json":      "{}\n",
		"src/p/_alone.py":       "A = 1\n",
		"tests/conftest.py":     "",
		"tests/test_api.py":     "from p.api import (\n    run,\n)\n",
		"tests/test_p.py":       "import p\n",
		"tests/test_alone.py":   "x = 1\n",
		"tests/sub/test_sub.py": "from ..util import helper\n",
		"tests/util.py":         "import p._alone\n",
		"tests/data.txt":        "x\n",
		"elsewhere/test_x.py":   "import p.data\n",
	}
	p := projectOf(t, files)
	for _, c := range []struct {
		reach   gate.Reach
		changed []string
		want    []string
	}{
		{gate.ReachNear, []string{"src/p/api.py"}, []string{"tests/test_api.py"}},
		{gate.ReachWide, []string{"src/p/data.py"}, []string{"tests/test_api.py", "tests/test_p.py", "tests/sub/test_sub.py"}},
		{gate.ReachNear, []string{"src/p/_alone.py"}, []string{"tests/test_alone.py"}},
		{gate.ReachWide, []string{"src/p/_alone.py"}, []string{"tests/sub/test_sub.py", "tests/test_alone.py"}},
		{gate.ReachNear, []string{"tests/test_p.py"}, []string{"tests/test_p.py"}},
		{gate.ReachNear, []string{"src/p/data.py"}, []string{"tests/test_api.py", "tests/test_p.py", "tests/sub/test_sub.py"}}, // there is none that is nearer
		{gate.ReachNear, []string{"src/p/table.json"}, []string{"tests/test_api.py", "tests/test_p.py"}},
		{gate.ReachNear, []string{"tests/conftest.py"}, []string{"tests/sub/test_sub.py", "tests/test_alone.py", "tests/test_api.py", "tests/test_p.py"}},
		{gate.ReachNear, []string{"tests/data.txt"}, []string{"tests/test_alone.py", "tests/test_api.py", "tests/test_p.py"}},
		{gate.ReachNear, []string{"tests/data.txt", "tests/test_p.py"}, []string{"tests/test_p.py"}},
		{gate.ReachWide, []string{"tests/data.txt", "tests/test_p.py"}, []string{"tests/test_alone.py", "tests/test_api.py", "tests/test_p.py"}},
		{gate.ReachWide, []string{"docs/index.md"}, nil},
	} {
		got, _, all := p.testsOf(gate.Scope{Changed: c.changed, Reach: c.reach})
		require.False(t, all, c)
		require.ElementsMatch(t, c.want, got, "%+v", c)
	}
	for _, scope := range []gate.Scope{{}, {Changed: []string{"a.py"}}, {Changed: []string{"pyproject.toml"}, Reach: gate.ReachNear}} {
		_, _, all := p.testsOf(scope)
		require.True(t, all, scope)
	}
}

func TestScope_NamesTestsThatUseAChangeThroughOthers(t *testing.T) {
	t.Parallel()
	p := projectOf(t, map[string]string{
		"p/core.py": "", "p/api.py": "import p.core\n", "p/app.py": "import p.api\n", "tests/a/conftest.py": "import p.app\n",
		"tests/test_core.py": "", "tests/test_c.py": "import p.core\n", "tests/test_app.py": "import p.app\n", "tests/test_b.py": "import p.api\n",
		"tests/a/test_fixture.py": "", "tests/test_other.py": "",
	})
	files, later, _ := p.testsOf(gate.Scope{Changed: []string{"p/core.py"}, Reach: gate.ReachWide})
	require.Equal(t, []string{"tests/test_c.py", "tests/test_b.py", "tests/a/test_fixture.py", "tests/test_app.py"}, later, "the nearest first")
	require.ElementsMatch(t, append(later, "tests/test_core.py"), files)
	_, later, _ = p.testsOf(gate.Scope{Changed: []string{"p/core.py"}, Reach: gate.ReachNear})
	require.Empty(t, later)
}

// Which files are tests is the project's to say.
func TestScope_IsOfFilesThatThePatternsFit(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"app/m.py": "M = 1\n", "app/tests.py": "import app.m\n", "app/test_m.py": "", "app/check_m.py": "from app import m\n",
		"testing/deep/of/m.py": "import app.m\n", "testing/m_spec.py": "import app.m\n",
	}
	for settings, want := range map[string][]string{
		"":                                  {"app/test_m.py"},
		"python_files = [\"check_*.py\"]\n": {"app/check_m.py"},
		"python_files = \"tests.py testing/*.py\"\n":                     {"app/tests.py", "testing/deep/of/m.py", "testing/m_spec.py"},
		"python_files = [\n  \"tests.py\",\n  '*_spec.py',\n]\n":         {"app/tests.py", "testing/m_spec.py"},
		"python_files = \"*.py\"\ntestpaths = [\"app\"]\n":               {"app/tests.py", "app/test_m.py", "app/check_m.py", "app/m.py"},
		"python_files = \"tests.py\"\naddopts = \"--doctest-modules\"\n": {"app/tests.py", "app/check_m.py", "app/test_m.py", "app/m.py", "testing/deep/of/m.py", "testing/m_spec.py"},
	} {
		files["pyproject.toml"] = "[tool.pytest.ini_options]\n" + settings
		got, _, all := projectOf(t, files).testsOf(gate.Scope{Changed: []string{"app/m.py"}, Reach: gate.ReachWide})
		require.False(t, all)
		require.ElementsMatch(t, want, got, settings)
	}
	files["pyproject.toml"] = "[tool.pytest.ini_options]\npython_files = [\"[tT]est.py\"]\n"
	_, _, all := projectOf(t, files).testsOf(gate.Scope{Changed: []string{"app/m.py"}, Reach: gate.ReachNear})
	require.True(t, all, "a pattern that is not understood")
}

// Tests that take fixtures import nothing of what these are made of.
func TestScope_IsTestsWithChangedFixtures(t *testing.T) {
	t.Parallel()
	p := projectOf(t, map[string]string{
		"app/__init__.py": "", "app/views.py": "V = 1\n", "app/site.py": "from app.views import V\n", "app/other.py": "O = 1\n",
		"tests/web/conftest.py": "import pytest\nfrom app import site\n", "tests/web/test_pages.py": "def test_it(client):\n    pass\n",
		"tests/test_views.py": "", "tests/test_direct.py": "import app.views\n", "tests/test_rest.py": "",
	})
	for reach, want := range map[gate.Reach][]string{
		gate.ReachWide: {"tests/web/test_pages.py", "tests/test_views.py", "tests/test_direct.py"},
		gate.ReachNear: {"tests/test_views.py"},
	} {
		got, _, all := p.testsOf(gate.Scope{Changed: []string{"app/views.py"}, Reach: reach})
		require.False(t, all)
		require.ElementsMatch(t, want, got, reach)
	}
	got, _, _ := p.testsOf(gate.Scope{Changed: []string{"app/site.py"}, Reach: gate.ReachNear})
	require.Equal(t, []string{"tests/web/test_pages.py"}, got, "there is none that is nearer")
	got, _, _ = p.testsOf(gate.Scope{Changed: []string{"app/other.py"}, Reach: gate.ReachWide})
	require.Empty(t, got)
}

// A conftest.py at the top is of all tests, those in folders as well.
func TestScope_IsAllTestsForTheConftestAtTheTop(t *testing.T) {
	t.Parallel()
	p := projectOf(t, map[string]string{"conftest.py": "", "test_a.py": "", "tests/test_b.py": "", "src/a.py": ""})
	got, _, all := p.testsOf(gate.Scope{Changed: []string{"conftest.py"}, Reach: gate.ReachNear})
	require.False(t, all)
	require.ElementsMatch(t, []string{"test_a.py", "tests/test_b.py"}, got)
}

// A package beside the project, which its settings name, concerns all of its tests, and so does one that the settings of that package name.
func TestConcerned_FollowsPathsToOtherPackages(t *testing.T) {
	t.Parallel()
	whole := projectOf(t, map[string]string{
		"app/pyproject.toml": "[tool.uv.sources]\nui = { path = \"../libs/ui\", editable = true }\n", "app/test_a.py": "",
		"libs/ui/pyproject.toml":      "[tool.poetry]\nreadme = \"../../README.md\"\n[tool.poetry.dependencies]\nutils = {path = \"../utils\"}\n",
		"libs/utils/requirements.txt": "-e ../base[dev]\n-r ../../../gone\n", "libs/base/x.py": "", "libs/other/x.py": "", "README.md": "",
		"old/pytest.ini":       "[pytest]\npythonpath = ../libs/other\n",
		"space/pyproject.toml": "[tool.uv.workspace]\nmembers = [\"./packages/*\"]\n", "space/packages/a/pyproject.toml": "[tool.uv.sources]\nb-b = { workspace = true }\n",
		"space/packages/b/pyproject.toml": "[project]\nname = \"b-b\"\n", "space/packages/c/pyproject.toml": "[project]\nname = \"c\"\n",
	})
	for dir, uses := range map[string]map[string]bool{
		"app":              {"../libs/ui/x.py": true, "../libs/utils/src/u/x.py": true, "../libs/base/x.py": true, "../libs/ui/x.ts": false, "../libs/other/x.py": false, "../x.py": false},
		"old":              {"../libs/other/x.py": true, "../libs/ui/x.py": false},
		"space/packages/a": {"../b/src/b/x.py": true, "../c/x.py": false},
	} {
		for file, want := range uses {
			if dir != "space/packages/a" { // for a project around both, every file counts
				require.Equal(t, want, gate.Concerned(gate.In(dir, &testGate{}), whole.tree, []string{path.Join(dir, file)}), dir+" "+file)
			}
			_, _, all := inspect(gate.InDir(whole.tree, dir)).testsOf(gate.Scope{Changed: []string{file}, Reach: gate.ReachNear})
			require.Equal(t, want, all, dir+" "+file)
		}
	}
}

func TestConcerned_LeavesOutDocuments(t *testing.T) {
	t.Parallel()
	tests := &testGate{}
	plain := projectOf(t, map[string]string{"a.py": "", "docs/x.rst": "", "pyproject.toml": "", "data/x.csv": ""})
	for file, want := range map[string]bool{
		"a.py": true, "new/b.py": true, "pyproject.toml": true, "requirements-dev.txt": true, "tests/x.md": true, "table.json": true,
		"README.md": false, "docs/x.rst": false, "web/a.ts": false, "data/x.csv": false, "../b.py": false,
	} {
		require.Equal(t, want, gate.Concerned(tests, plain.tree, []string{file}), file)
	}
	examples := projectOf(t, map[string]string{"pyproject.toml": "[tool.pytest.ini_options]\naddopts = \"--doctest-glob=*.rst\"\n"})
	require.True(t, gate.Concerned(tests, examples.tree, []string{"docs/x.rst"}))
	require.False(t, gate.Concerned(&lintGate{}, examples.tree, []string{"docs/x.rst"}))
}
