package activity

import (
	"context"

	"forge/engine/step"
	"forge/engine/tool"
)

// tool calls a tool on a tree in a given state. A change of the tool is returned, not written.
func (k Kit) tool(ctx context.Context, c step.ToolCall) (said step.ToolResult, err error) {
	t, known := tool.All().Named(c.Tool)
	if !known {
		return step.ToolResult(tool.All().Unknown(c.Tool)), nil
	}
	if c.Timeout > 0 {
		t.Timeout = min(t.Timeout, c.Timeout)
	}
	use := k.Trees.In
	if t.Litters {
		use = k.Trees.littered
	}
	err = use(ctx, c.State, func(tree Tree) error {
		w := tool.World{}
		if k.World != nil {
			w = k.World(c.State.Base, tree)
		}
		w.Tree = tree
		r, err := t.Run(ctx, w, c.Args)
		said = step.ToolResult(r)
		return err
	})
	return said, err
}
