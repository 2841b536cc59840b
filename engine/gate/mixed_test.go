package gate

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Settings of checks are separated from everything else in the same file.
func TestSettings_OmitUnrelatedParts(t *testing.T) {
	t.Parallel()
	const (
		manifest = `{"name": "a", "scripts": {"test": "npm run unit", "unit": "node run.js", "start": "node a.js"}, "dependencies": {"x": "1"}, "jest": {"bail": 1}}`
		project  = "[project]\nname = \"a\"\ndependencies = [\n  \"x\", # [tool.ruff]\n]\n\n[tool.ruff]\nselect = [\"E\"] # all\n\n[tool.poetry]\nname = 'a'\n"
		config   = "[metadata]\nname = a\n\n[flake8]\nmax-line-length = 100\n"
		cargo    = "[package]\nname = \"a\"\n\n[[test]]\nname = \"it\"\nharness = true\n\n[lints.clippy]\nall = \"deny\"\n\n[dependencies]\nx = \"1\"\n"
		module   = "module a\n\ngo 1.24\n\nrequire x v1.0.0\n"
		tagged   = "//go:build linux\n\npackage a\n"
	)
	for name, c := range map[string]struct {
		file, before, after string
		same                bool
	}{
		"a dependency":                    {"package.json", manifest, `{"dependencies": {"x": "2"}, "jest": {"bail": 1}, "scripts": {"test": "npm run unit", "unit": "node run.js", "start": "node b.js"}}`, true},
		"the script test":                 {"package.json", manifest, `{"jest": {"bail": 1}, "scripts": {"test": "true", "unit": "node run.js"}}`, false},
		"a script that test calls":        {"package.json", manifest, `{"jest": {"bail": 1}, "scripts": {"test": "npm run unit", "unit": "true"}}`, false},
		"the settings of a runner":        {"package.json", manifest, `{"jest": {}, "scripts": {"test": "npm run unit", "unit": "node run.js"}}`, false},
		"no JSON any more":                {"web/package.json", manifest, manifest[1:], false},
		"scripts that come twice":         {"package.json", manifest, `{"jest": {"bail": 1}, "scripts": {"test": "npm run unit", "unit": "node run.js"}, "scripts": {}}`, false},
		"a task of Deno":                  {"deno.json", `{"tasks": {"test": "deno test"}, "imports": {}}`, `{"tasks": {"test": "true"}, "imports": {}}`, false},
		"an import of Deno":               {"deno.json", `{"tasks": {"test": "deno test"}, "imports": {}}`, `{"tasks": {"test": "deno test"}, "imports": {"a": "b"}}`, true},
		"dependencies of Python":          {"pyproject.toml", project, "[project]\nname = \"a\"\ndependencies = []\n[tool.ruff]\nselect=[\"E\"]\n", true},
		"a rule of ruff's":                {"pyproject.toml", project, "[project]\n[tool.ruff]\nselect = []\n", false},
		"a table of ruff's within a text": {"pyproject.toml", project, "[project]\nname = '''\n[tool.ruff]\nselect = [\"E\"]\n'''\n", false},
		"a table of ruff's in dots":       {"pyproject.toml", "[project]\nname = 'a'\n", "tool.ruff.select = []\n[project]\nname = 'a'\n", false},
		"a table of ruff's in the value":  {"pyproject.toml", "[project]\nname = 'a'\n", "tool = { ruff = { select = [] } }\n[project]\nname = 'a'\n", false},
		"a table of ruff's in quotes":     {"pyproject.toml", "[project]\n", "[project]\n[ \"tool\" . 'ruff' ]\nselect = []\n", false},
		"a rule of ruff's in one line":    {"pyproject.toml", project, "project = {name = \"a\", dependencies = [\"x\"]}\ntool.ruff = {select = [\"E\"]}\n[tool.poetry]\nname = 'a'\n", true},
		"a file that no tool can read":    {"pyproject.toml", project, project + "[tool.ruff\n", false},
		"no harness, in one line":         {"Cargo.toml", cargo, "lib = { harness = false }\n" + cargo, false},
		"the same tests in one line":      {"Cargo.toml", cargo, "test = [{harness = true, name = 'it'}]\nlints.clippy.all = \"\"\"\ndeny\"\"\"\n[package]\nname = \"a\"\n", true},
		"a comment in a task file":        {"deno.jsonc", `{"tasks": {"test": "deno test"}, // "**/*"` + "\n}", `{"tasks": {"test": "deno test"}}`, true},
		"a table of poetry's":             {"pyproject.toml", project, project + "version = '2'\n", true},
		"a longer line for flake8":        {"setup.cfg", config, "[metadata]\nname = a\n[flake8]\nmax-line-length = 200\n", false},
		"a name in a setup.cfg":           {"setup.cfg", config, "[metadata]\nname = b\n\n[flake8]\n# why\nmax-line-length = 100\n", true},
		"a crate":                         {"Cargo.toml", cargo, cargo + "y = \"1\"\n", true},
		"no harness":                      {"Cargo.toml", cargo, cargo + "[lib]\nharness = false\n", false},
		"another target has the harness":  {"Cargo.toml", cargo, "[package]\nname = \"a\"\n[[test]]\nname = \"that\"\nharness = true\n[lints.clippy]\nall = \"deny\"\n", false},
		"lints of a workspace":            {"Cargo.toml", cargo, cargo + "[workspace.lints.rust]\nunsafe_code = \"allow\"\n", false},
		"a profile of tests":              {"Cargo.toml", cargo, cargo + "[profile.test]\noverflow-checks = false\n", false},
		"a module":                        {"go.mod", module, module + "require y v1.0.0\n", true},
		"another Go":                      {"go.mod", module, "module a\n\ngo 1.20\n\nrequire x v1.0.0\n", false},
		"folders that are ignored":        {"go.mod", module, module + "ignore (\n\t./a // why\n)\n", false},
		"a test that is built nowhere":    {"a_test.go", "package a\n", "//go:build ignore\n\npackage a\n", false},
		"a test that is built elsewhere":  {"a_test.go", tagged, "//go:build windows\n\npackage a\n", false},
		"code that is built elsewhere":    {"a.go", tagged, "//go:build windows\n\npackage a\n", true},
		"a file that no tool reads":       {"notes.toml", "a = 1\n", "a = 2\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.same, Settings(c.file, c.before) == Settings(c.file, c.after), "%q\n%q", Settings(c.file, c.before), Settings(c.file, c.after))
		})
	}
	require.Empty(t, Overrides("a/package.json", `{"name": "a", "scripts": {"test": "node --test"}}`), "a new package has its scripts")
	require.NotEmpty(t, Overrides("a/package.json", `{"eslintConfig": {"root": true}}`))
	require.NotEmpty(t, Overrides("a/pyproject.toml", "[tool.ruff]\nselect = []\n"))
	require.Empty(t, Overrides("a/Cargo.toml", "[package]\nname = \"a\"\n[lints]\nworkspace = true\n"))
}

func TestSilence_RecognisesSuppressions(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"a.go": "x() //nolint:errcheck // why", "b.go": "//lint:ignore U1000 why", "a.py": "import os  # noqa: F401", "b.py": "x = y  # type: ignore[x]", "c.pyi": "# pylint: disable=all",
		"a.js": "// eslint-disable-next-line", "a.tsx": "// @ts-ignore", "a.rs": "#[allow(dead_code)]", "b.rs": "#![expect(unused)]", "a.sh": "# shellcheck disable=SC2046",
	} {
		require.NotEmpty(t, Silence(name, line), name)
	}
	for name, line := range map[string]string{"a.go": "x := nolint()", "a.py": "type = ignore", "a.rs": "fn allow() {}", "README.md": "# noqa", "a.js": "const eslint = 1"} {
		require.Empty(t, Silence(name, line), name)
	}
}
