package activity

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/permission"
	"forge/engine/step"
	"forge/engine/tool"
	"forge/patch"
)

// scribe is a server that writes into the tree.
type scribe struct {
	tree  *shelf
	calls *int
}

func (s scribe) Call(_ context.Context, c tool.MCPCall) (tool.MCPAnswer, error) {
	*s.calls++
	s.tree.files["written"] = string(c.Input)
	return tool.MCPAnswer{Text: "in " + c.Root}, nil
}

// written is a tree that knows what the scribe has written.
type written struct{ *shelf }

func (w written) Changes(context.Context) (c patch.ChangeSet, err error) {
	if text, is := w.files["written"]; is {
		c = writing("written", text)
	}
	return c, nil
}

// scribes is a Kit whose user has accepted the scribe, and allows all calls.
func scribes(idempotent bool) (k Kit, calls *int, rows *book) {
	o, calls, rows := &opened{}, new(int), &book{}
	permits := usualPermits()
	permits.Book, permits.Policy.Flags = rows, permission.Flags{MCP: true}
	permits.Grants = []tool.Grants{{MCP: []tool.MCPTool{{Server: "s", Tool: "write", Pin: "p", Idempotent: idempotent}}}}
	return Kit{Permits: permits, Trees: &Trees{Open: o.open}, World: func(_ string, t Tree) tool.World {
		return tool.World{MCP: MCP{Session: scribe{t.(*shelf), calls}, Tree: written{t.(*shelf)}}}
	}}, calls, rows
}

var writes = step.ToolCall{Tool: "mcp__s__write", Agent: permission.Build, Args: json.RawMessage(`{"input":"{}"}`)}

// What a server changes in the tree is the change of the call, which the rules of edits judge.
func TestMCP_ChangesOfTheTreeAreThoseOfTheCall(t *testing.T) {
	t.Parallel()
	k, _, rows := scribes(false)
	said, err := k.tool(t.Context(), writes)
	require.NoError(t, err)
	require.Nil(t, said.Refused)
	require.Len(t, said.Change.Files, 1)
	require.Equal(t, "written", said.Change.Files[0].Path)
	require.Len(t, rows.rows, 1)
	require.Equal(t, "allow", rows.rows[0].Verdict)
}

func TestMCP_ACallThatWasCutOffIsRepeatedOnlyIfItIsIdempotent(t *testing.T) {
	t.Parallel()
	k, calls, rows := scribes(false)
	said, err := k.mcpAgain(t.Context(), "", writes)
	require.NoError(t, err)
	require.True(t, said.Failed)
	require.Contains(t, said.Text, "whether it was carried out is unknown")
	require.Zero(t, *calls)
	require.Equal(t, "unknown_result", rows.rows[0].Code)

	k, calls, _ = scribes(true)
	said, err = k.mcpAgain(t.Context(), "", writes)
	require.NoError(t, err)
	require.False(t, said.Failed)
	require.Equal(t, 1, *calls)
}

func TestMCP_AModelThatOnlyLooksCallsNothing(t *testing.T) {
	t.Parallel()
	k, calls, _ := scribes(false)
	for _, agent := range []permission.Agent{permission.Other, permission.Plan, ""} {
		call := writes
		call.Agent = agent
		said, err := k.tool(t.Context(), call)
		require.NoError(t, err)
		require.NotNil(t, said.Refused)
	}
	require.Zero(t, *calls)
}
