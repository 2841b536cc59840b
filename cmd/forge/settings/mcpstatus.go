package settings

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"forge/cmd/forge/terminal"
	"forge/engine/config"
	"forge/engine/mcp"
	"forge/internal/inert"
)

func newMCPStatus(t terminal.Terminal) *cobra.Command {
	return &cobra.Command{
		Use: "status [NAME]", Short: "Start your servers, or one, and show their tools and what is wrong", Args: terminal.AtMostOne("one server to name"),
		Long: `Start your servers, or one, one after the other, and list their tools. A tool is new, accepted, changed since you accepted it, or missing.
The exit code is 1 if a server fails, or if an accepted tool has changed or is missing.`,
		Example: "  forge mcp status\n  forge mcp status files",
		RunE: func(c *cobra.Command, args []string) error {
			_, all, err := readMCP(t)
			if err != nil {
				return err
			}
			if len(args) == 1 {
				i, err := namedMCP(all, args[0])
				if err != nil {
					return terminal.ExitWith(terminal.ExitUsage, err.Error())
				}
				all = all[i : i+1]
			}
			return showMCP(c.Context(), t, all)
		},
	}
}

func showMCP(ctx context.Context, t terminal.Terminal, all config.MCPServers) error {
	rows := [][]string{{"SERVER", "TOOL", "STATE", "PIN", "DESCRIPTION"}}
	wrong := 0
	for _, s := range all {
		tools, err := listMCP(ctx, t, s)
		if ctx.Err() != nil {
			return terminal.ExitWith(terminal.ExitCancelled, "cancelled")
		}
		if err != nil {
			wrong++
			fmt.Fprintf(t.Err, "[forge] %s failed: %s\n", s.Name, inert.Text(err.Error()))
			continue
		}
		more, bad := mcpRows(s, tools)
		rows, wrong = append(rows, more...), wrong+bad
	}
	if err := terminal.Table(t.Out, rows); err != nil {
		return err
	}
	if wrong > 0 {
		return terminal.ExitWith(terminal.ExitFailed, fmt.Sprintf("%d servers or accepted tools are not as they were: see above", wrong))
	}
	return nil
}

// mcpRows returns the tools of a server, those that are missing last, and how many accepted ones have changed or are missing.
func mcpRows(s config.MCPServer, tools []mcp.Tool) (rows [][]string, bad int) {
	gone := maps.Clone(s.Tools)
	for _, tool := range tools {
		was, known := gone[tool.Name]
		delete(gone, tool.Name)
		state := "new"
		switch {
		case known && was.Pin == tool.Pin:
			state = "accepted"
		case known:
			state = "changed"
			bad++
		}
		rows = append(rows, []string{s.Name, inert.OneLine(tool.Name, 64), state, tool.Pin, inert.OneLine(tool.Description, 80)})
	}
	for _, name := range slices.Sorted(maps.Keys(gone)) {
		rows = append(rows, []string{s.Name, inert.OneLine(name, 64), "missing", gone[name].Pin, ""})
	}
	return rows, bad + len(gone)
}
