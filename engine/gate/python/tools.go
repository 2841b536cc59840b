package python

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
	"forge/internal/lazyregexp"
)

// The programs, by the names that they and their packages have.
const (
	ruff    = "ruff"
	black   = "black"
	flake8  = "flake8"
	mypy    = "mypy"
	pyright = "pyright"
	bandit  = "bandit"
	radon   = "radon"
	pytest  = "pytest"
)

// constant is the environment in which the same tree always gives the same result: no bytecode, no caches, no colours, hashes that do
// not change from run to run, and no packages of the user outside of the project.
var constant = []string{
	"PYTHONDONTWRITEBYTECODE=1", "PYTHONHASHSEED=0", "PYTHONNOUSERSITE=1", "PYTHONPATH=", "PYTEST_ADDOPTS=", "PYTHONIOENCODING=utf-8", "PYTHONUNBUFFERED=1",
	"NO_COLOR=1", "PY_COLORS=0", "TERM=dumb", "COLUMNS=200", "RUFF_NO_CACHE=true", "MYPY_CACHE_DIR=" + discardedCache,
	"PYRIGHT_PYTHON_IGNORE_WARNINGS=1",
}

// attempt is one start of a program.
type attempt struct {
	tool  string // its name
	limit time.Duration
	argv  []string
	env   []string
	stdin string
}

// discardedCache is the path of a cache that nothing keeps.
const discardedCache = os.DevNull

// tools starts Python and the programs that are written for it.
type tools struct {
	runner sandbox.Runner
	env    []string
}

func newTools(runner sandbox.Runner, env []string) tools {
	return tools{runner: runner, env: append(slices.Clone(constant), env...)}
}

// of is what tool.Tools.Run works with. env is added to the environment.
func (t tools) of(env ...string) tool.Tools {
	return tool.Tools{Runner: t.runner, Env: append(t.env[:len(t.env):len(t.env)], env...), Ended: ended}
}

// interpreter is what Python is called.
func interpreter() string {
	if runtime.GOOS == "windows" {
		return "python"
	}
	return "python3"
}

// program is a program of the project's own environment, else one on PATH.
func (p project) program(name string) string {
	if p.bin == "" {
		return name
	}
	for _, file := range []string{name, name + ".exe"} {
		if info, err := os.Stat(filepath.Join(p.bin, file)); err == nil && info.Mode().IsRegular() {
			return filepath.Join(p.bin, file)
		}
	}
	return name
}

// available reports whether a program is installed and starts.
func (t tools) available(ctx context.Context, p project, name string) bool {
	return !t.lacks(ctx, p, name).Is()
}

// lacks asks a program for its version.
func (t tools) lacks(ctx context.Context, p project, name string) gate.Missing {
	program := t.of()
	program.Install = p.install(name)
	missing := program.Lacks(ctx, p.tree, p.program(name), "--version")
	if missing.Is() {
		missing.Program = name
	}
	return missing
}

var noModule = lazyregexp.New(`(?m)^(?:ModuleNotFoundError: )?(?:\S+: )?No module named '?([\w.]+)'?$`)

// run starts a program in the tree. done means that the report's verdict stands: it is missing, or did not end in time.
func (t tools) run(ctx context.Context, p project, report *gate.Report, a attempt) (result sandbox.Result, done bool) {
	program := t.of(a.env...)
	program.Stdin, program.Install = a.stdin, p.install(a.tool)
	result, done = program.Run(ctx, p.tree, report, a.limit, a.argv...)
	if done || result.ExitCode == 0 {
		return result, done
	}
	// A script without its package counts as a missing program, and so is one that pyenv has for another Python.
	m := noModule.FindStringSubmatch(string(result.Stderr))
	if len(result.Stdout) == 0 && (m != nil && m[1] == a.tool || result.ExitCode == tool.NotFound) {
		gate.Missing{Program: a.tool, Install: p.install(a.tool)}.NotRun(report)
		return result, true
	}
	return result, false
}

// conclude is tool.Conclude, but warnings alone fail nothing.
func conclude(report *gate.Report, result sandbox.Result, w tool.Words) {
	found := report.Findings
	if !slices.ContainsFunc(found, gate.Finding.Blocks) {
		report.Findings = nil
	}
	tool.Conclude(report, result, w)
	if report.Verdict == gate.Error && result.ExitCode != 0 {
		report.Summary = tool.Summary("%s ended with code %d and said: %s", report.Gate, result.ExitCode, reason(report.Output))
	}
	report.Findings = found
}

// reason returns why a program failed: the first line of its output, or the last line of a traceback or a usage text.
func reason(output string) string {
	first := tool.FirstLine(output)
	if !strings.HasPrefix(first, "Traceback (most recent call last)") && !strings.HasPrefix(strings.ToLower(first), "usage:") {
		return first
	}
	output = strings.TrimSpace(output)
	return strings.TrimSpace(output[strings.LastIndexByte(output, '\n')+1:])
}

// refuse is the report of a gate that has nothing to judge.
func refuse(report gate.Report, err error) gate.Report {
	report.Verdict, report.Summary = gate.Error, tool.Summary("%s has no result: %v", report.Gate, err)
	return report
}

// clean counts the files without a finding that blocks; with one of which the tool named no file, none is known to be clean.
func clean(executed int, found []gate.Finding) int {
	broken := map[string]bool{}
	for _, f := range found {
		if f.Blocks() {
			if f.Inferred {
				return 0
			}
			broken[f.Path] = true
		}
	}
	return max(0, executed-len(broken))
}

// scratch makes a folder outside of the tree for what a tool insists on writing.
func scratch() (dir string, remove func(), err error) {
	dir, err = os.MkdirTemp("", "forge-python-")
	return dir, func() { _ = os.RemoveAll(dir) }, err
}

// install is the command that installs a program where the project looks for it, or a page with instructions.
func (p project) install(name string) string {
	if name == interpreter() {
		return "https://www.python.org/downloads"
	}
	if p.bin == "" {
		return "python -m pip install " + name
	}
	for _, pip := range []string{"pip", "pip.exe"} {
		if _, err := os.Stat(filepath.Join(p.bin, pip)); err == nil {
			return filepath.ToSlash(filepath.Join(p.venv, filepath.Base(p.bin), "python")) + " -m pip install " + name
		}
	}
	return "uv pip install " + name // uv makes environments without pip
}

// hasPytest ends with 0 where there is a pytest; -I has it look at no file of the project.
const hasPytest = "import importlib.util, sys; sys.exit(importlib.util.find_spec('pytest') is None)"

// Preflight looks for Python, and for pytest where the tests need it.
func (g *testGate) Preflight(ctx context.Context, tree gate.Tree) gate.Missing {
	p := inspect(tree)
	if missing := g.check.Preflight(ctx, tree); missing.Is() || p.runner() != pytest {
		return missing
	}
	program := g.tools.of()
	program.Install = p.install(pytest)
	missing := program.Lacks(ctx, tree, p.program(interpreter()), "-I", "-c", hasPytest)
	if missing.Is() {
		missing.Program = pytest
	}
	return missing
}
