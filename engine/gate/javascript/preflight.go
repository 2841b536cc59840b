package javascript

import (
	"context"

	"forge/engine/gate"
	"forge/engine/gate/javascript/npm"
)

// preflight searches for Node.js, and for the project's programs.
func (t tools) preflight(ctx context.Context, tree gate.Tree, programs func(p *npm.Project) []string) gate.Missing {
	p, err := npm.Open(tree)
	if err != nil {
		return gate.Missing{} // Run reports what is wrong
	}
	for _, program := range programs(p) {
		if p.Binary(program) == "" {
			return p.Lacks(program)
		}
	}
	return t.Lacks(ctx, tree, "node", "--version")
}

// Preflight searches for prettier.
func (g *formatGate) Preflight(ctx context.Context, tree gate.Tree) gate.Missing {
	return g.tools.preflight(ctx, tree, func(*npm.Project) []string { return []string{"prettier"} })
}

// Preflight searches for eslint.
func (g *lintGate) Preflight(ctx context.Context, tree gate.Tree) gate.Missing {
	return g.tools.preflight(ctx, tree, func(*npm.Project) []string { return []string{"eslint"} })
}

// Preflight searches for Node.js.
func (g *syntaxGate) Preflight(ctx context.Context, tree gate.Tree) gate.Missing {
	return g.tools.preflight(ctx, tree, func(*npm.Project) []string { return nil })
}

// Preflight searches for tsc.
func (g *typesGate) Preflight(ctx context.Context, tree gate.Tree) gate.Missing {
	return g.tools.preflight(ctx, tree, func(*npm.Project) []string { return []string{"tsc"} })
}

// Preflight searches for the test runners.
func (g *testGate) Preflight(ctx context.Context, tree gate.Tree) gate.Missing {
	return g.tools.preflight(ctx, tree, func(p *npm.Project) (programs []string) {
		for _, s := range readScript(p).suites() {
			if s.missing {
				programs = append(programs, s.program)
			}
		}
		return programs
	})
}
