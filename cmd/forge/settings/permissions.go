package settings

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/internal/inert"
)

// NewPermissions returns the command forge permissions.
func NewPermissions(t terminal.Terminal) *cobra.Command {
	c := &cobra.Command{
		Use: "permissions", Short: "List or reset what you have allowed models to do in a folder",
		Long: `List or reset the answers "for this run" and "for this project" to questions about tools of models. Each holds for exactly the call that
was shown, in this folder, until it expires: 24 hours for a run, 90 days for a project. The list ends with the rules of your own settings
(permissions in config.yaml), which reset does not change. Your settings and forge trust stay as they are.`,
		Example: "  forge permissions list\n  forge permissions reset run_command",
	}
	c.AddCommand(newPermissionsList(t), newPermissionsReset(t))
	return c
}

func newPermissionsList(t terminal.Terminal) *cobra.Command {
	return terminal.Stored(t, cobra.Command{
		Use: "list", Short: "List what you have allowed, and the rules of your settings", Example: "  forge permissions list --json", Args: cobra.NoArgs,
	}, func(ctx context.Context, o terminal.Opened) (api.PermissionsResult, error) {
		return service.ListPermissions(ctx, o.Engine, o.In, &api.FolderArgs{})
	}, func(t terminal.Terminal, r api.PermissionsResult) error {
		return terminal.TableOr(t, permissionRows(r), "you have allowed nothing that lasts, and your settings have no rules")
	})
}

func permissionRows(result api.PermissionsResult) [][]string {
	rows := [][]string{{"TOOL", "SCOPE", "EXPIRES", "CALL"}}
	for _, p := range result.Permissions {
		scope := p.Scope
		if scope == "run" {
			scope += " " + p.Run
		}
		rows = append(rows, []string{p.Tool, scope, terminal.When(p.Expires).Format(time.DateOnly), inert.Text(p.Shown)})
	}
	for _, r := range result.Rules {
		rows = append(rows, []string{r.Tool, "rule: " + r.Answer, "never", inert.Text(cmp.Or(r.Match, "any") + " (" + r.Source + ")")})
	}
	return rows
}

func newPermissionsReset(t terminal.Terminal) *cobra.Command {
	var f terminal.KeptFlags
	c := &cobra.Command{
		Use: "reset [TOOL]", Short: "Forget what you have allowed: all of it, or about one tool", Example: "  forge permissions reset\n  forge permissions reset run_command",
		Args: terminal.AtMostOne("one tool at a time"),
		RunE: func(c *cobra.Command, args []string) error {
			return f.With(t, func(e *engine.Engine, in service.Folder) error {
				result, err := service.ResetPermissions(c.Context(), e, in, &api.PermissionsResetArgs{Tool: terminal.First(args)})
				if err == nil {
					fmt.Fprintf(t.Err, "[forge] %d permissions were forgotten; you will be asked again\n", result.Forgotten)
				}
				return err
			})
		},
	}
	c.Flags().StringVar(&f.Dir, "dir", ".", "the folder")
	return c
}
