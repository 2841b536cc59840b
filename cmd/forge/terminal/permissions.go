package terminal

import (
	"github.com/spf13/cobra"

	"forge/engine/permission"
)

// PermissionFlags are the permissions that the user gives in advance.
type PermissionFlags struct {
	permission.Flags
	Files bool // the result is applied without a question
}

// Add adds the flags to a command.
func (f *PermissionFlags) Add(c *cobra.Command) {
	c.Flags().BoolVar(&f.Files, "allow-files", false, "apply the result without asking, unless it changes a file that other programs act on and --allow-control does not name: then nothing is applied; --yes also accepts the specification and the plan")
	c.Flags().BoolVar(&f.Shell, "allow-shell", false, "let models use the commands that your settings name (tools.commands) without asking")
	c.Flags().BoolVar(&f.Network, "allow-network", false, "let models read the web, as far as your settings allow it (web), without asking")
	c.Flags().BoolVar(&f.MCP, "allow-mcp", false, "let models call the tools of MCP servers that you have accepted (forge mcp) without asking")
	c.Flags().BoolVar(&f.Strict, "strict", false, "ask about each tool that executes something or leaves the machine, even if you allowed it earlier")
	c.Flags().BoolVar(&f.Skip, "skip-permissions", false, "ask about no tool, except where a rule of your settings says ask; denials, critical commands and repeated calls are not affected")
	c.Flags().BoolVar(&f.NonInteractive, "non-interactive", false, "ask nothing and deny what would be asked; the exit code is 6 if the run is blocked or nothing is accepted, or if it fails after a denial")
}

// Check rejects flags that contradict each other.
func (f PermissionFlags) Check() error {
	if f.Strict && (f.Shell || f.Network || f.MCP || f.Skip) {
		return ExitWith(ExitUsage, "--strict asks about each tool, so --allow-shell, --allow-network, --allow-mcp and --skip-permissions cannot be given with it")
	}
	return nil
}
