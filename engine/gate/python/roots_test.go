package python

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate/python/testrun"
)

func TestRoots_AreTheFoldersOfProjects(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ paths, want []string }{
		"a project":                       {[]string{"pyproject.toml", "src/a/__init__.py"}, []string{""}},
		"an old project":                  {[]string{"a/b.py", "setup.py"}, []string{""}},
		"settings alone":                  {[]string{"a/b.py", "setup.cfg"}, []string{""}},
		"tox":                             {[]string{"tox.ini"}, []string{""}},
		"requirements":                    {[]string{"a/b.py", "requirements-dev.txt"}, []string{""}},
		"loose files":                     {[]string{"README", "main.py"}, []string{""}},
		"scripts in a folder of another":  {[]string{"go.mod", "scripts/gen.py"}, []string{}},
		"a monorepo":                      {[]string{"api/a.py", "api/pyproject.toml", "web/package.json", "worker/setup.py", "worker/src/w.py"}, []string{"api", "worker"}},
		"a project in a project":          {[]string{"packages/a/a.py", "packages/a/pyproject.toml", "pyproject.toml"}, []string{"", "packages/a"}},
		"an example":                      {[]string{"examples/a/a.py", "examples/a/pyproject.toml", "pyproject.toml"}, []string{""}},
		"an example that is tested":       {[]string{"examples/a/a.py", "examples/a/pyproject.toml", "examples/a/tests/test_a.py", "pyproject.toml"}, []string{"", "examples/a"}},
		"examples alone":                  {[]string{"examples/a/a.py", "examples/a/pyproject.toml"}, []string{"examples/a"}},
		"settings for spelling":           {[]string{"go.mod", "main.go", "pyproject.toml"}, []string{}},
		"a documentation in Go":           {[]string{"docs/requirements.txt", "go.mod", "main.go"}, []string{}},
		"a project without a file yet":    {[]string{"pyproject.toml"}, []string{""}},
		"a package without a file":        {[]string{"a.py", "packages/a/pyproject.toml", "pyproject.toml"}, []string{""}},
		"requirements of a project":       {[]string{"docs/requirements.txt", "pyproject.toml"}, []string{""}},
		"requirements below requirements": {[]string{"a/requirements.txt", "requirements.txt"}, []string{""}},
		"requirements of their own":       {[]string{"go.mod", "tools/gen/gen.py", "tools/requirements.txt"}, []string{"tools"}},
		"what tests try things on":        {[]string{"pyproject.toml", "tests/data/x/setup.py"}, []string{""}},
		"what is installed":               {[]string{".venv/lib/x/setup.py", "main.py", "node_modules/x/setup.py", "venv/setup.py"}, []string{""}},
		"no Python":                       {[]string{"go.mod", "main.go"}, []string{}},
		"nothing":                         {nil, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, roots(test.paths, nil))
		})
	}
}

func TestIsTest_KnowsFilesByTheirPaths(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"test_a.py": true, "a_test.py": true, "pkg/test_a.py": true, "conftest.py": true, "pkg/conftest.py": true,
		"tests/data.json": true, "tests/util.py": true, "pkg/tests/x.txt": true, "test/a.py": true,
		"a.py": false, "test.py": false, "latest.py": false, "testing/a.py": false, "contest.py": false, "test_data.json": false,
		"polls/tests.py": true, "tests.py": true, "src/jinja2/tests.py": false, "a_tests.py": true, "contests.py": false, "tests.txt": false, "a_test.txt": false, "conftest.txt": false,
	} {
		require.Equal(t, want, testrun.IsTest(path), path)
	}
}
