package activity

import (
	"context"
	"slices"
	"time"

	"forge/engine/permission"
	"forge/engine/step"
	"forge/engine/tool"
)

// tool calls a tool on a tree in a given state, if it may be called. A change of the tool is returned, not written.
func (k Kit) tool(ctx context.Context, c step.ToolCall) (said step.ToolResult, err error) {
	t, known := k.Permits.find(c.Tool)
	if !known {
		k.Permits.unknown(ctx, c, k.now())
		return resultOf(tool.All().Unknown(c.Tool)), nil
	}
	action, decision := k.Permits.decide(ctx, t, c, k.now())
	if decision.Verdict != permission.Allow {
		return step.ToolResult{Text: decision.Reason, Failed: true, Refused: &decision}, nil
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
		if w.Commands != nil {
			w.Commands = decided{commands: w.Commands, action: action, permits: k.Permits, now: k.now}
		}
		r, err := t.Run(ctx, w, c.Args)
		said = resultOf(r)
		return err
	})
	return said, err
}

func (k Kit) now() time.Time {
	if k.Now == nil {
		return time.Now()
	}
	return k.Now()
}

func resultOf(r tool.Result) step.ToolResult {
	return step.ToolResult{Text: r.Text, Failed: r.Failed, Cut: r.Cut, Exit: r.Exit, Unsuccessful: r.Unsuccessful, Change: r.Change}
}

// decided starts the one command that was decided about.
type decided struct {
	commands tool.Commands
	action   permission.Action
	permits  *Permits
	now      func() time.Time
}

// Run starts the command, if it is the one that was shown and allowed, argument by argument.
func (d decided) Run(ctx context.Context, argv []string) (tool.Ran, error) {
	if !slices.Equal(argv, d.action.Argv) {
		return tool.Ran{Failed: "this is not the command that was decided about", Refused: true}, nil
	}
	ran, err := d.commands.Run(ctx, argv)
	if ran.Refused {
		refused := permission.Decision{Verdict: permission.Deny, Layer: "tree", Code: "path", Reason: ran.Failed, Digest: d.action.Digest()}
		_ = d.permits.record(ctx, d.action, d.action.Call, refused, "", d.now()) // it is refused either way
	}
	return ran, err
}

// MCP calls tools of MCP servers for a tree. The result of a call has the changes that the server made in the tree during the call.
type MCP struct {
	Session tool.MCP
	Tree    Tree
}

// Call calls a tool with the tree as the folder that its server may work on.
func (m MCP) Call(ctx context.Context, c tool.MCPCall) (tool.MCPAnswer, error) {
	before, err := m.Tree.Changes(ctx)
	if err != nil {
		return tool.MCPAnswer{}, err
	}
	c.Root = m.Tree.Dir()
	answer, err := m.Session.Call(ctx, c)
	if err != nil {
		return tool.MCPAnswer{}, err
	}
	after, err := m.Tree.Changes(ctx)
	if err != nil {
		return tool.MCPAnswer{}, err
	}
	answer.Change = Commands{Tree: m.Tree}.between(before, after)
	return answer, nil
}

// find returns a tool by its name, with the current settings.
func (p *Permits) find(name string) (tool.Tool, bool) {
	return p.current().Find(name)
}

func (p *Permits) current() tool.Grants {
	if p == nil || len(p.Grants) == 0 {
		return tool.Grants{}
	}
	return p.Grants[len(p.Grants)-1]
}

// unknownResult is the message for the model about a call during which Forge ended.
const unknownResult = "Forge was stopped during this call, so whether it was carried out is unknown. It was not repeated: find out before you call it again"

// mcpAgain completes a call during which an earlier process ended. Only one that the user calls idempotent is repeated.
func (k Kit) mcpAgain(ctx context.Context, _ string, c step.ToolCall) (step.ToolResult, error) {
	if accepted, known := k.Permits.current().MCPTool(c.Tool); known && accepted.Idempotent {
		return k.tool(ctx, c)
	}
	t, _ := k.Permits.find(c.Tool)
	action := t.Action(c.Agent, k.Permits.folder(), c.Args)
	d := permission.Decision{Verdict: permission.Deny, Layer: "journal", Code: "unknown_result", Reason: unknownResult, Digest: action.Digest()}
	_ = k.Permits.record(ctx, action, string(c.Args), d, "", k.now()) // it is not repeated either way
	return step.ToolResult{Text: unknownResult, Failed: true, Refused: &d}, nil
}

func (p *Permits) folder() string {
	if p == nil {
		return ""
	}
	return p.Folder
}
