package activity

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/permission"
	"forge/engine/step"
	"forge/engine/tool"
	"forge/patch"
)

// tester leaves something in the tree that it tests.
type tester struct{ tree *shelf }

func (c tester) Run(context.Context, tool.CheckKind) ([]gate.Report, error) {
	c.tree.files["litter"] = "x"
	return []gate.Report{{Gate: "test", Verdict: gate.Pass, Summary: "all of them"}}, nil
}

func TestTools_WorkOnTheStateOfTheRun(t *testing.T) {
	t.Parallel()
	o := &opened{}
	k := Kit{Permits: usualPermits(), Trees: &Trees{Open: o.open}, World: func(base string, t Tree) tool.World {
		return tool.World{Checks: tester{t.(*shelf)}}
	}}
	state := step.State{Base: "b"}.With(patch.ChangeSet{Files: []patch.FileChange{{Kind: patch.Create, Path: "a", After: "one\n"}}})
	use := func(name, args string) step.ToolResult {
		said, err := k.tool(t.Context(), step.ToolCall{State: state, Tool: name, Args: json.RawMessage(args), Agent: permission.Build})
		require.NoError(t, err)
		return said
	}
	require.Equal(t, step.ToolResult{Text: "a, lines 1 to 1 of 1:\none"}, use("read_file", `{"path":"a"}`))

	said := use("write_file", `{"path":"b","content":"two\n"}`)
	require.False(t, said.Failed, said.Text)
	require.Len(t, said.Change.Files, 1)
	require.Equal(t, "a", use("list_dir", `{}`).Text, "what a tool would change is in no tree yet")
	state = state.With(said.Change)
	require.Equal(t, "a\nb", use("list_dir", `{}`).Text)

	require.Equal(t, "test: pass: all of them", use("run_tests", `{}`).Text)
	require.Equal(t, "a\nb", use("list_dir", `{}`).Text, "what tests leave behind is gone")

	said = use("format_disk", `{}`)
	require.True(t, said.Failed)
	require.Contains(t, said.Text, `there is no "format_disk" here`)
}

func TestTools_HaveTheTimeThatTheirCallerGives(t *testing.T) {
	t.Parallel()
	o := &opened{}
	k := Kit{Permits: usualPermits(), Trees: &Trees{Open: o.open}, World: func(string, Tree) tool.World { return tool.World{Checks: hanging{}} }}
	said, err := k.tool(t.Context(), step.ToolCall{Tool: "run_tests", Timeout: 1, Agent: permission.Build})
	require.NoError(t, err)
	require.Equal(t, "run_tests took longer than 1ns: ask for less", said.Text)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = k.tool(ctx, step.ToolCall{Tool: "run_tests", Agent: permission.Build})
	require.ErrorIs(t, err, context.Canceled)
}

// hanging ends with its context.
type hanging struct{}

func (hanging) Run(ctx context.Context, _ tool.CheckKind) ([]gate.Report, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}
