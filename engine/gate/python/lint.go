package python

import (
	"context"
	"fmt"

	"forge/engine/gate"
	"forge/engine/gate/tool"
)

// lintGate runs the linter that the project is configured for; else ruff with its defaults, or flake8 without matters of style.
type lintGate struct{ check }

// onlyMistakes leaves out matters of style: nobody asked for anybody's.
const onlyMistakes = "--select=E9,F"

// Run lints the tree. It fixes nothing.
func (g *lintGate) Run(ctx context.Context, tree gate.Tree) gate.Report {
	p := inspect(tree)
	switch p.linter() {
	case ruff:
		return g.ruff(ctx, tree, p)
	case flake8:
		return g.flake8(ctx, tree, p)
	}
	if report := g.ruff(ctx, tree, p, onlyMistakes); report.Verdict != gate.NotRun || report.Empty {
		return report
	}
	return g.flake8(ctx, tree, p, onlyMistakes)
}

func (g *lintGate) words(report gate.Report) tool.Words {
	return tool.Words{
		Failed:  fmt.Sprintf("%s in %d of %s", tool.Count(len(report.Findings), "finding"), report.Executed-report.Passed, tool.Count(report.Executed, "file")),
		Passed:  tool.Count(report.Executed, "file") + " linted",
		Nothing: "no Python files to lint",
	}
}
