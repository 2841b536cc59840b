package keep

import (
	"cmp"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/permission"
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
	var asJSON bool
	var dir string
	c := &cobra.Command{
		Use: "list", Short: "List what you have allowed, and the rules of your settings", Example: "  forge permissions list --json", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return terminal.InProject(t, dir, func(e *engine.Engine, root string) error {
				rules, err := e.PermissionRules(c.Context(), root)
				if err != nil {
					return err
				}
				all, err := e.Permissions(root)
				list := permissionList{Permissions: append([]permission.Grant{}, all...), Rules: append([]permission.Rule{}, rules...)}
				return terminal.Shown(t, asJSON, list, err, func(l permissionList) error { return terminal.Table(t.Out, l.rows()) })
			})
		},
	}
	c.Flags().StringVar(&dir, "dir", ".", "the folder")
	c.Flags().BoolVar(&asJSON, "json", false, "print the list as JSON")
	return c
}

// permissionList is what forge permissions list --json prints.
type permissionList struct {
	Permissions []permission.Grant `json:"permissions"`
	Rules       []permission.Rule  `json:"rules"` // of the user's own settings
}

func (l permissionList) rows() [][]string {
	rows := [][]string{{"TOOL", "SCOPE", "EXPIRES", "CALL"}}
	for _, g := range l.Permissions {
		scope := string(g.Scope)
		if g.Scope == permission.Run {
			scope += " " + g.Run
		}
		rows = append(rows, []string{g.Tool, scope, g.Expires.Format(time.DateOnly), inert.Text(g.Shown)})
	}
	for _, r := range l.Rules {
		rows = append(rows, []string{r.Tool, "rule: " + string(r.Answer), "never", inert.Text(cmp.Or(r.Match, "any") + " (" + r.Source + ")")})
	}
	return rows
}

func newPermissionsReset(t terminal.Terminal) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use: "reset [TOOL]", Short: "Forget what you have allowed: all of it, or about one tool", Example: "  forge permissions reset\n  forge permissions reset run_command",
		Args: terminal.AtMostOne("one tool at a time"),
		RunE: func(c *cobra.Command, args []string) error {
			return terminal.InProject(t, dir, func(e *engine.Engine, root string) error {
				n, err := e.ResetPermissions(c.Context(), root, terminal.First(args))
				if err == nil {
					fmt.Fprintf(t.Err, "[forge] %d permissions were forgotten; you will be asked again\n", n)
				}
				return err
			})
		},
	}
	c.Flags().StringVar(&dir, "dir", ".", "the folder")
	return c
}
