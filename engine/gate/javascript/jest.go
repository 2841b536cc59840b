package javascript

import (
	"context"
	"slices"

	"forge/engine/gate"
	"forge/engine/gate/javascript/npm"
	"forge/engine/gate/tool"
)

const jest = "jest"

// forJest prepares a start of jest: it sees the tree at a path that stays the same, because its sealed report has no paths of the tree; it has a folder
// for what it transforms; and its tests have no variables against colours, which their own users do not have: jest itself has --no-color.
func (g *testGate) forJest(ctx context.Context, tree gate.Tree, p *npm.Project, t *tools, argv []string) (context.Context, []string) {
	t.InPlace = true
	t.Env = slices.DeleteFunc(slices.Clone(t.Env), func(entry string) bool { return slices.Contains(uncoloured, entry) })
	folder := p.Transformed(g.kept, tree)
	if folder == "" {
		return ctx, argv
	}
	return tool.Sharing(ctx, folder), slices.Insert(argv, 1, "--cacheDirectory="+folder)
}
