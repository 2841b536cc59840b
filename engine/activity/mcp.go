package activity

import (
	"context"

	"forge/engine/permission"
	"forge/engine/step"
	"forge/engine/tool"
)

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
