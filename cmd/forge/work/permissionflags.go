package work

import (
	"github.com/spf13/cobra"

	"forge/cmd/forge/terminal"
	"forge/engine/event"
	"forge/engine/permission"
)

// permissionFlags are the permissions that the user gives in advance.
type permissionFlags struct {
	permission.Flags
	files bool // the result is applied without a question
}

func (f *permissionFlags) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.files, "allow-files", false, "apply the result without asking, except files that other programs act on; --yes also accepts the specification and the plan")
	c.Flags().BoolVar(&f.Shell, "allow-shell", false, "let models use the commands that your settings name (tools.commands) without asking")
	c.Flags().BoolVar(&f.Network, "allow-network", false, "let models read the web, as far as your settings allow it (web), without asking")
	c.Flags().BoolVar(&f.MCP, "allow-mcp", false, "let models call the tools of MCP servers that you have accepted (forge mcp) without asking")
	c.Flags().BoolVar(&f.Strict, "strict", false, "ask about each tool that executes something or leaves the machine, whatever you allowed earlier")
	c.Flags().BoolVar(&f.Skip, "skip-permissions", false, "ask about no tool; denials, critical commands and repeated calls are not affected")
	c.Flags().BoolVar(&f.NonInteractive, "non-interactive", false, "ask nothing and deny what would be asked; the exit code is 6 if the run fails for it")
}

// check rejects flags that contradict each other.
func (f permissionFlags) check() error {
	if f.Strict && (f.Shell || f.Network || f.MCP || f.Skip) {
		return terminal.ExitWith(terminal.ExitUsage, "--strict asks about each tool, so --allow-shell, --allow-network, --allow-mcp and --skip-permissions cannot be given with it")
	}
	return nil
}

// unanswered records a question that was not asked.
func (s Session) unanswered(e event.Event) {
	if u, is := e.Data.(event.ToolUsed); is && u.Refused == permission.CodeNonInteractive {
		s.Unanswered = append(s.Unanswered, terminal.Unanswered{Kind: string(event.AskPermission), Code: u.Refused, Reason: u.Tool + ": " + u.Reason})
	}
}

// denied returns exit code 6 if the program ends because it asks nothing.
func (s Session) denied(err error) error {
	if err == nil || !s.Flags.permissions.NonInteractive {
		return err
	}
	exit := terminal.AsExit(err)
	if exit == nil || exit.Code != terminal.ExitBlocked && len(s.Unanswered) == 0 || exit.Code == terminal.ExitCancelled {
		return err
	}
	return terminal.ExitWith(terminal.ExitUnanswered, exit.Text)
}
