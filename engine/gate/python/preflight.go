package python

import (
	"context"
	"os"
	"path/filepath"

	"forge/engine/gate"
)

// install is the command that installs a program where the project looks for it, or the page that says how.
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
