package python

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"forge/engine/sandbox"
)

// dir is a tree for tests.
type dir string

func (d dir) Dir() string { return string(d) }

// write makes a tree of a txtar archive.
func write(t testing.TB, archive string) dir {
	t.Helper()
	root := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(root, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, f.Data, 0o644))
	}
	return dir(root)
}

// Each setting of a project next to one that only resembles it.
func TestProject_ReadsConfiguration(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ tree, formatter, linter, checker string }{
		"nothing":                {"-- a.py --\n", "", "", ""},
		"ruff's formatter":       {"-- pyproject.toml --\n[tool.ruff.format]\n", ruff, ruff, ""},
		"ruff's linter":          {"-- pyproject.toml --\n[tool.ruff]\nline-length = 100\n[tool.ruff.lint]\n", "", ruff, ""},
		"ruff.toml":              {"-- ruff.toml --\n[format]\n", ruff, ruff, ""},
		"ruff.toml for lint":     {"-- .ruff.toml --\n[lint]\n", "", ruff, ""},
		"ruffian":                {"-- pyproject.toml --\n[tool.ruffian]\n", "", "", ""},
		"a table with quotes":    {"-- pyproject.toml --\n[ tool.\"ruff\" ]\n", "", ruff, ""},
		"an array of tables":     {"-- pyproject.toml --\n[[tool.mypy.overrides]]\n", "", "", mypy},
		"black":                  {"-- pyproject.toml --\n[tool.black]\n", black, "", ""},
		"black and ruff's rules": {"-- pyproject.toml --\n[tool.black]\n[tool.ruff.lint]\n", black, ruff, ""},
		"black is installed":     {"-- requirements-dev.txt --\npytest\nblack==26.1\n", black, "", ""},
		"black in an extra":      {"-- pyproject.toml --\n[project.optional-dependencies]\ndev = [\"black>=24\", \"flake8\"]\n", black, flake8, ""},
		"blacken-docs":           {"-- requirements.txt --\nblacken-docs\n", "", "", ""},
		"a hook of black":        {"-- .pre-commit-config.yaml --\nrepos:\n- repo: x\n  hooks:\n  - id: black\n", black, "", ""},
		"hooks of ruff":          {"-- .pre-commit-config.yaml --\n  - id: ruff\n  - id: ruff-format\n", ruff, ruff, ""},
		"flake8 in setup.cfg":    {"-- setup.cfg --\n[flake8]\n", "", flake8, ""},
		"flake8 in tox.ini":      {"-- tox.ini --\n[flake8]\n", "", flake8, ""},
		".flake8":                {"-- .flake8 --\n[flake8]\n", "", flake8, ""},
		"both linters":           {"-- .flake8 --\n-- ruff.toml --\n", "", ruff, ""},
		"mypy.ini":               {"-- mypy.ini --\n", "", "", mypy},
		"mypy in setup.cfg":      {"-- setup.cfg --\n[mypy]\n", "", "", mypy},
		"mypy is installed only": {"-- requirements.txt --\nmypy\n", "", "", ""},
		"pyright":                {"-- pyrightconfig.json --\n{}\n", "", "", pyright},
		"pyright in a table":     {"-- pyproject.toml --\n[tool.pyright]\n", "", "", pyright},
		"both checkers":          {"-- pyrightconfig.json --\n{}\n-- mypy.ini --\n", "", "", mypy},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := inspect(write(t, test.tree))
			require.Equal(t, []string{test.formatter, test.linter, test.checker}, []string{p.formatter(), p.linter(), p.checker()})
		})
	}
}

func TestSection_KnowsEachWayToWriteATable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"[tool.ruff]\n": true, "[tool.ruff.lint]\n": true, "tool.ruff.line-length = 100\n": true, "tool = { ruff = { line-length = 100 } }\n": true, "[ tool . \"ruff\" ]\n": true,
		"[project]\ndescription = \"\"\"\n[tool.ruff]\n\"\"\"\n": false, "[tool]\nruff = 1\n": false, "[tool.ruffle]\n": false, "# [tool.ruff]\n": false, "": false,
		"[tool.ruff]\nselect = [\n": true, // ruff says what is wrong with it
	} {
		p := inspect(write(t, "-- pyproject.toml --\n"+text))
		require.Equal(t, want, p.section("pyproject.toml", "tool.ruff"), text)
	}
	targets := inspect(write(t, "-- pyproject.toml --\n[tool.mypy]\nstrict = true\n[[tool.mypy.overrides]]\nmodule = 'x'\nfiles = ['a']\n"))
	require.False(t, targets.namesTargets())
	targets = inspect(write(t, "-- pyproject.toml --\ntool.mypy = { files = ['src'] }\n"))
	require.True(t, targets.namesTargets())
}

func TestProject_KnowsWhichAuditsAreConfigured(t *testing.T) {
	t.Parallel()
	for tree, want := range map[string][2]bool{
		"-- .bandit --\n":                          {true, false},
		"-- pyproject.toml --\n[tool.bandit]\n":    {true, false},
		"-- requirements.txt --\nbandit[toml]>1\n": {true, false},
		"-- radon.cfg --\n":                        {false, true},
		"-- setup.cfg --\n[radon]\n":               {false, true},
		"-- requirements.txt --\nbanditry\n":       {false, false},
	} {
		p := inspect(write(t, tree))
		require.Equal(t, want, [2]bool{p.audited(), p.measured()}, tree)
	}
}

func TestProject_KnowsTestsThatNeedPytest(t *testing.T) {
	t.Parallel()
	for tree, want := range map[string]bool{
		"-- pytest.ini --\n": true,
		"-- pyproject.toml --\n[tool.pytest.ini_options]\n": true,
		"-- setup.cfg --\n[tool:pytest]\n":                  true,
		"-- tox.ini --\n[pytest]\n":                         true,
		"-- tests/conftest.py --\n":                         true,
		"-- test_a.py --\nimport pytest\n":                  true,
		"-- test_a.py --\nfrom pytest import raises\n":      true,
		"-- a.py --\nimport pytest\n":                       false,
		"-- test_a.py --\nimport pytest_not\n":              false,
		"-- test_a.py --\nimport unittest\n":                false,
	} {
		d := write(t, tree)
		require.Equal(t, want, inspect(d).wantsPytest() || writtenForPytest(d.Dir()), tree)
	}
}

// Settings are read from the tree only: a link that leads out of it is none.
func TestSettings_DoNotLeadOutOfTheTree(t *testing.T) {
	t.Parallel()
	outside := write(t, "-- pyproject.toml --\n[tool.black]\n")
	d := write(t, "-- a.py --\n")
	require.NoError(t, os.Symlink(filepath.Join(outside.Dir(), "pyproject.toml"), filepath.Join(d.Dir(), "pyproject.toml")))
	require.Empty(t, inspect(d).formatter())
	require.Equal(t, black, inspect(outside).formatter())
}

// The environment of the project is used when it is lent from outside of the tree, and only then.
func TestEnvironment_IsLinkedFromOutsideOfTheTree(t *testing.T) {
	t.Parallel()
	const venv = "-- pyvenv.cfg --\n-- bin/ruff --\n-- bin/python3 --\n"
	lent := write(t, venv)
	for name, test := range map[string]struct {
		links map[string]string
		files string
		want  bool
	}{
		".venv, lent":           {map[string]string{".venv": lent.Dir()}, "-- a.py --\n", true},
		"venv, lent":            {map[string]string{"venv": lent.Dir()}, "-- a.py --\n", true},
		"lent in parts":         {map[string]string{".venv/bin": lent.Dir() + "/bin", ".venv/pyvenv.cfg": lent.Dir() + "/pyvenv.cfg"}, "-- .venv/x --\n", true},
		"a file of the tree":    {nil, "-- .venv/pyvenv.cfg --\n-- .venv/bin/ruff --\n", false},
		"a link into the tree":  {map[string]string{".venv": "real"}, "-- real/pyvenv.cfg --\n-- real/bin/ruff --\n", false},
		"programs of the tree":  {map[string]string{".venv/pyvenv.cfg": lent.Dir() + "/pyvenv.cfg"}, "-- .venv/bin/ruff --\n", false},
		"no environment at all": {nil, "-- a.py --\n", false},
		"some other folder":     {map[string]string{".venv": os.TempDir()}, "-- a.py --\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := write(t, test.files)
			for link, target := range test.links {
				require.NoError(t, os.Symlink(target, filepath.Join(d.Dir(), filepath.FromSlash(link))))
			}
			p := inspect(d)
			if !test.want {
				require.Empty(t, p.bin)
				require.Equal(t, ruff, p.program(ruff), "the one on PATH")
				return
			}
			real, err := filepath.EvalSymlinks(lent.Dir())
			require.NoError(t, err)
			require.Equal(t, filepath.Join(real, "bin", "ruff"), p.program(ruff))
			require.Equal(t, black, p.program(black), "what it does not have is the one on PATH")
		})
	}
}

// The environment is the same everywhere, and what the caller adds wins.
func TestGates_GiveProcessesOneEnvironment(t *testing.T) {
	t.Parallel()
	seen := &recorder{}
	for _, g := range Language(seen, "PYTHONHASHSEED=1").Gates {
		g.Run(t.Context(), write(t, "-- a.py --\n-- mypy.ini --\n-- requirements.txt --\nblack\n"))
	}
	require.NotEmpty(t, seen.commands)
	for _, c := range seen.commands {
		require.Contains(t, c.Env, "PYTHONDONTWRITEBYTECODE=1", c.Argv)
		require.Contains(t, c.Env, "PYTHONNOUSERSITE=1", c.Argv)
		require.Contains(t, c.Env, "RUFF_NO_CACHE=true", c.Argv)
		require.Contains(t, c.Env, "PYTHONHASHSEED=1", c.Argv)
		require.Positive(t, c.Timeout, c.Argv)
	}
}

var _ sandbox.Runner = (*recorder)(nil)
