package python_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/python"
	"forge/engine/sandbox"
)

const (
	code   = "-- calc.py --\n\"\"\"Adds.\"\"\"\n\n\ndef add(a: int, b: int) -> int:\n    \"\"\"Add.\"\"\"\n    return a + b\n"
	passes = "-- test_calc.py --\nfrom calc import add\n\n\ndef test_add() -> None:\n    assert add(1, 2) == 3\n"

	usesBlack   = "-- pyproject.toml --\n[tool.black]\nline-length = 100\n"
	usesRuff    = "-- pyproject.toml --\n[tool.ruff.format]\nquote-style = \"double\"\n"
	usesFlake8  = "-- .flake8 --\n[flake8]\nmax-line-length = 100\n"
	usesMypy    = "-- mypy.ini --\n[mypy]\nstrict = True\n"
	usesPyright = "-- pyrightconfig.json --\n{\"exclude\": [\".venv\"]}\n"
)

var branches = "-- maze.py --\ndef maze(x):\n" +
	"    if x == 1:\n        return 1\n    if x == 2:\n        return 2\n    if x == 3:\n        return 3\n    if x == 4:\n        return 4\n" +
	"    if x == 5:\n        return 5\n    if x == 6:\n        return 6\n    if x == 7:\n        return 7\n    if x == 8:\n        return 8\n" +
	"    if x == 9:\n        return 9\n"

// Every gate with the tool that is really there: each verdict next to the tree that only just does not get it.
func TestPythonGates_JudgeWithTheRealTools(t *testing.T) {
	t.Parallel()
	each := []string{ // what each tool finds, and trees in which tools find nothing
		"compiles", "does not compile", "black: formatted", "black: not formatted", "ruff: not formatted", "ruff finds nothing", "ruff finds", "flake8 finds",
		"mypy finds nothing", "mypy finds", "pyright finds", "nothing of high severity", "high severity", "as complex as may be", "one more",
	}
	for _, test := range []struct {
		name, gate, tree string
		verdict          gate.Verdict
		executed, passed int
		want             string // the findings, or the summary where there are none
	}{
		{"compiles", "python syntax", code, gate.Pass, 1, 1, "1 file compiled"},
		{"does not compile", "python syntax", code + "-- p/b.py --\ndef f(:\n", gate.Fail, 2, 1, "p/b.py:1:7 [syntax] SyntaxError: invalid syntax\n"},
		{"nothing to compile", "python syntax", "-- README --\n", gate.NotRun, 0, 0, "no Python files to compile"},
		{"a compileall.py of the project is not run", "python syntax", "-- compileall.py --\nraise SystemExit(0)\n-- b.py --\nx = = 1\n", gate.Fail, 2, 1, "b.py:1:5 [syntax] SyntaxError: invalid syntax\n"},
		{"a file name that looks like an option", "python syntax", "-- -q.py --\nx = = 1\n", gate.Fail, 1, 0, "-q.py:1:5 [syntax] SyntaxError: invalid syntax\n"},

		{"black: formatted", "python format", code + usesBlack, gate.Pass, 1, 1, "1 file formatted"},
		{"black: not formatted", "python format", code + usesBlack + "-- b.py --\nx=1\n", gate.Fail, 2, 1, "b.py:1 [format] not as black formats it\n"},
		{"black: no Python", "python format", code + usesBlack + "-- b.py --\nx = = 1\n", gate.Fail, 2, 1, "b.py:1:5 [syntax] it cannot be parsed\n"},
		{"black: nothing to format", "python format", usesBlack, gate.NotRun, 0, 0, "no Python files to format"},
		{"ruff: formatted", "python format", code + usesRuff, gate.Pass, 1, 1, "1 file formatted"},
		{"ruff: not formatted", "python format", code + usesRuff + "-- b.py --\nx=1\n", gate.Fail, 2, 1, "b.py:1 [format] not as ruff formats it\n"},
		{"ruff: no Python", "python format", code + usesRuff + "-- b.py --\nx = = 1\n", gate.Fail, 2, 1, "b.py:1:5 [syntax] Expected an expression\n"},
		{"no formatter is asked for", "python format", code + "-- b.py --\nx=1\n", gate.NotRun, 0, 0, "the project is configured for no formatter"},

		{"ruff finds nothing", "python lint", code, gate.Pass, 1, 1, "1 file linted"},
		{"ruff finds", "python lint", code + "-- b.py --\nimport os\n", gate.Fail, 2, 1, "b.py:1:8 [ruff/F401] `os` imported but unused\n"},
		{"style is not checked unasked", "python lint", code + "-- b.py --\nimport sys, os\nprint(sys,os)\n", gate.Pass, 2, 2, "2 files linted"},
		{"ruff's settings are broken", "python lint", code + "-- ruff.toml --\nline-length = = 1\n", gate.Fail, 0, 0, "ruff.toml:1:15 [settings] ruff cannot read it: Failed to load configuration `ruff.toml`\n"},
		{"ruff fixes nothing", "python lint", "-- ruff.toml --\nfix = true\n-- b.py --\nimport os\n", gate.Fail, 1, 0, "b.py:1:8 [ruff/F401] `os` imported but unused\n"},
		{"ruff has nothing to lint", "python lint", "-- README --\n", gate.NotRun, 0, 0, "no Python files to lint"},
		{"flake8 finds nothing", "python lint", code + usesFlake8, gate.Pass, 1, 1, "1 file linted"},
		{"flake8 finds", "python lint", code + usesFlake8 + "-- b.py --\nx = undefined\n", gate.Fail, 2, 1, "b.py:1:5 [flake8/F821] undefined name 'undefined'\n"},
		{"flake8 has nothing to lint", "python lint", usesFlake8, gate.NotRun, 0, 0, "no Python files to lint"},

		{"mypy finds nothing", "python types", code + usesMypy, gate.Pass, 1, 1, "1 file checked by mypy"},
		{"mypy finds", "python types", code + usesMypy + "-- b.py --\nx: int = 'a'\n", gate.Fail, 2, 1, "b.py:1:10 [mypy/assignment] Incompatible types in assignment (expression has type \"str\", variable has type \"int\")\n"},
		{"mypy has nothing to check", "python types", usesMypy, gate.NotRun, 0, 0, "no Python files to check"},
		{"pyright finds nothing", "python types", code + usesPyright, gate.Pass, 1, 1, "1 file checked by pyright"},
		{"pyright finds", "python types", code + usesPyright + "-- b.py --\nx: int = 'a'\n", gate.Fail, 2, 1, "b.py:1:10 [pyright/reportAssignmentType] Type \"Literal['a']\" is not assignable to declared type \"int\"\n"},
		{"pyright has nothing to check", "python types", usesPyright, gate.NotRun, 0, 0, "no Python files to check"},
		{"pyright's settings are broken", "python types", code + "-- pyrightconfig.json --\n{nope\n", gate.Fail, 1, 0, "pyrightconfig.json:1 [settings] pyright cannot read it: verify that its format is correct\n"},
		{"no type checker is asked for", "python types", code + "-- b.py --\nx: int = 'a'\n", gate.NotRun, 0, 0, "the project is configured for no type checker"},

		{"nothing of high severity", "python security", code + "-- b.py --\nassert 1\n", gate.Pass, 2, 2, "2 files audited, 1 warning"},
		{"high severity", "python security", code + "-- b.py --\nimport hashlib\n\nhashlib.md5(b'')\n", gate.Fail, 2, 1, "b.py:3:1 [bandit/B324] Use of weak MD5 hash for security. Consider usedforsecurity=False (hashlib)\n"},
		{"a finding that the settings leave out", "python security", code + "-- b.py --\nimport hashlib\n\nhashlib.md5(b'')\n-- pyproject.toml --\n[tool.bandit]\nskips = [\"B324\"]\n", gate.Pass, 2, 2, "2 files audited, 0 warnings"},
		{"nothing to audit", "python security", "-- README --\n", gate.NotRun, 0, 0, "no Python files to audit"},

		{"as complex as may be", "python complexity", branches, gate.Pass, 1, 1, "1 function measured, none more complex than 10"},
		{"one more", "python complexity", branches + "    if x == 10:\n        return 10\n", gate.Fail, 1, 0, "maze.py:1:1 [radon/complexity] maze is more complex than 10: split it\n"},
		{"nothing to measure", "python complexity", "-- README --\n", gate.NotRun, 0, 0, "no Python files to measure"},
		{"no functions", "python complexity", "-- a.py --\nX = 1\n", gate.Pass, 1, 1, "1 file measured, without a function"},
	} {
		if testing.Short() && !slices.Contains(each, test.name) {
			continue
		}
		t.Run(test.gate+"/"+test.name, func(t *testing.T) {
			t.Parallel()
			report := run(t, test.gate, write(t, test.tree))
			require.Equal(t, test.verdict.String(), report.Verdict.String(), "%s\n%s", report.Summary, report.Output)
			require.Equal(t, [2]int{test.executed, test.passed}, [2]int{report.Executed, report.Passed}, "executed, passed\n%s", report.Output)
			if test.verdict == gate.Fail {
				require.Equal(t, test.want, show(report.Findings))
			} else {
				require.Equal(t, test.want, report.Summary)
			}
		})
	}
}

// Nothing is installed: each gate says what is missing and how it is installed.
func TestPythonGates_NameMissingTools(t *testing.T) {
	t.Parallel()
	nothing := sandbox.New(sandbox.Options{Environ: []string{"PATH="}})
	tree := bare(t, code+passes+usesMypy+usesBlack)
	for _, g := range python.Language(nothing).Gates {
		t.Run(g.Name(), func(t *testing.T) {
			t.Parallel()
			report := runWith(t.Context(), t, nothing, g.Name(), tree)
			require.Equal(t, gate.NotRun, report.Verdict, report.Summary)
			require.False(t, report.Empty)
			require.Regexp(t, "https://www.python.org|`python -m pip install \\w+` installs it$", report.Summary)
			require.Zero(t, report.Executed)
		})
	}
}

// An environment that a model writes into the tree is not run: only one that was lent from outside of the tree is.
func TestPythonEnvironment_IgnoresOneInTheTree(t *testing.T) {
	t.Parallel()
	tree := bare(t, code+passes+"-- .venv/pyvenv.cfg --\nhome = /usr/bin\n")
	bin := filepath.Join(tree.Dir(), ".venv", "bin")
	require.NoError(t, os.MkdirAll(bin, 0o755))
	for _, name := range []string{"python3", "ruff", "bandit", "radon"} {
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\ntouch '"+tree.Dir()+"/was-run'\necho []\n"), 0o755))
	}
	for _, g := range python.Language(machine()).Gates {
		g.Run(t.Context(), tree)
	}
	require.NoFileExists(t, filepath.Join(tree.Dir(), "was-run"))

	// The same programs, lent: they are what the user has installed.
	outside := t.TempDir()
	require.NoError(t, os.Rename(filepath.Join(tree.Dir(), ".venv"), filepath.Join(outside, "env")))
	require.NoError(t, os.Symlink(filepath.Join(outside, "env"), filepath.Join(tree.Dir(), ".venv")))
	for _, g := range python.Language(machine()).Gates {
		g.Run(t.Context(), tree)
	}
	require.FileExists(t, filepath.Join(tree.Dir(), "was-run"))
}

// The formatter that the project is configured for formats the files it is given, and no others.
func TestPythonFormat_FormatsTheGivenFiles(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string]string{"black": usesBlack, "ruff": usesRuff, "none": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree := write(t, settings+"-- a.py --\nx=1\n-- b.py --\nx=1\n-- broken.py --\nx = = 1\n-- c.txt --\nx=1\n")
			l := python.Language(machine())
			require.NoError(t, l.Format(t.Context(), tree, []string{"a.py", "c.txt", "gone.py", "../x.py", "broken.py"}))
			want := "x = 1\n"
			if name == "none" {
				want = "x=1\n"
			}
			require.Equal(t, []string{want, "x=1\n", "x = = 1\n", "x=1\n"}, texts(t, tree, "a.py", "b.py", "broken.py", "c.txt"))
		})
	}
	t.Run("left out", func(t *testing.T) {
		t.Parallel()
		tree := write(t, "-- pyproject.toml --\n[tool.black]\nextend-exclude = '''\n(\n  /gen/  # made\n  | ^/x\\.py\n)'''\nforce-exclude = 'old/a b'\n"+
			"-- gen/sub/a.py --\nx=1\n-- x.py --\nx=1\n-- old/a b.py --\nx=1\n-- old/ab.py --\nx=1\n-- b.py --\nx=1\n")
		files := []string{"gen/sub/a.py", "x.py", "old/a b.py", "old/ab.py", "b.py"}
		require.NoError(t, python.Language(machine()).Format(t.Context(), tree, files))
		require.Equal(t, []string{"x=1\n", "x=1\n", "x=1\n", "x = 1\n", "x = 1\n"}, texts(t, tree, files...))
	})
	t.Run("missing", func(t *testing.T) {
		t.Parallel()
		tree := bare(t, usesBlack+"-- a.py --\nx=1\n")
		l := python.Language(sandbox.New(sandbox.Options{Environ: []string{"PATH="}}))
		require.NoError(t, l.Format(t.Context(), tree, []string{"a.py"}))
		require.Equal(t, []string{"x=1\n"}, texts(t, tree, "a.py"))
	})
}

func texts(t *testing.T, tree dir, names ...string) (all []string) {
	t.Helper()
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(tree.Dir(), name))
		require.NoError(t, err)
		all = append(all, string(text))
	}
	return all
}

func TestPythonGates_SelectByConfigurationAndTools(t *testing.T) {
	t.Parallel()
	always := []string{"python syntax", "python lint", "python test", "python security", "python complexity"}
	l := python.Language(machine())
	require.Equal(t, always, l.Select(t.Context(), write(t, code)), "tools that are there")
	require.Equal(t,
		[]string{"python syntax", "python format", "python lint", "python types", "python test", "python security", "python complexity"},
		l.Select(t.Context(), write(t, code+usesBlack+usesMypy)))
	nothing := python.Language(sandbox.New(sandbox.Options{Environ: []string{"PATH="}}))
	require.Equal(t, []string{"python syntax", "python test"}, nothing.Select(t.Context(), bare(t, code)))
	require.Equal(t, []string{"python syntax", "python format", "python lint", "python types", "python test"},
		nothing.Select(t.Context(), bare(t, code+usesBlack+usesMypy+usesFlake8)), "what is wanted is selected although it is missing")
}
