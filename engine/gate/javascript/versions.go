package javascript

import (
	"context"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
)

// versions returns the version of Node.js that runs the programs of a project. The programs are in node_modules, which is lent to
// the tree.
func (t tools) versions(ctx context.Context, tree gate.Tree) string {
	result, err := t.Runner.Run(ctx, sandbox.Command{
		Argv: []string{"node", "-p", "JSON.stringify([process.versions, process.execPath, process.config])"}, Dir: tree.Dir(), Env: t.Env, Timeout: tool.PreflightLimit,
	})
	if err != nil || result.TimedOut || result.ExitCode != 0 {
		return ""
	}
	return string(result.Stdout)
}
