package python

import (
	"context"
	_ "embed"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
)

//go:embed versions.py
var versionsScript string

// versions reports which Python runs a project, what is installed for it outside of the project, and which tools there are.
func (t tools) versions(ctx context.Context, tree gate.Tree) string {
	p := inspect(tree)
	argv := []string{p.program(interpreter()), "-c", versionsScript, ruff, black, flake8, mypy, pyright, bandit, radon, pytest}
	result, err := t.runner.Run(ctx, sandbox.Command{Argv: argv, Dir: tree.Dir(), Env: append(t.env[:len(t.env):len(t.env)], "PYTHONSAFEPATH=1"), Timeout: tool.VersionsLimit})
	if err != nil || result.TimedOut || result.ExitCode != 0 {
		return ""
	}
	return string(result.Stdout)
}
