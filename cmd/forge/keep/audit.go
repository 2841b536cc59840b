package keep

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/permission"
	"forge/internal/inert"
)

// NewAudit returns the command forge audit.
func NewAudit(t terminal.Terminal) *cobra.Command {
	var dir, run string
	var asJSON bool
	c := &cobra.Command{
		Use: "audit", Short: "List each decision about a tool of a model, and each refused call",
		Long: `List the decisions about tools of models in a folder, oldest first: the call, the verdict, which layer decided, and why. Secrets are
removed. Each row is chained to the one before it by SHA-256, so that forge audit verify finds a row that was changed or removed. It
cannot find rows that were removed at the end.`,
		Example: "  forge audit\n  forge audit --run r-4f1c0a72 --json\n  forge audit verify", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return terminal.InProject(t, dir, func(e *engine.Engine, root string) error {
				rows, err := e.Audit(root)
				list := auditList{Rows: append([]permission.Row{}, slices.DeleteFunc(rows, func(r permission.Row) bool { return run != "" && r.Run != run })...)}
				return terminal.Shown(t, asJSON, list, broken(err), func(l auditList) error { return terminal.Table(t.Out, l.table()) })
			})
		},
	}
	c.Flags().StringVar(&dir, "dir", ".", "the folder")
	c.Flags().StringVar(&run, "run", "", "only the decisions of this run")
	c.Flags().BoolVar(&asJSON, "json", false, "print the rows as JSON")
	c.AddCommand(newAuditVerify(t))
	return c
}

// auditList is the output of forge audit --json.
type auditList struct {
	Rows []permission.Row `json:"rows"`
}

func (l auditList) table() [][]string {
	rows := [][]string{{"ROW", "TIME", "RUN", "VERDICT", "BY", "CALL", "REASON"}}
	for _, r := range l.Rows {
		rows = append(rows, []string{
			fmt.Sprint(r.Seq), r.Time.Format(time.DateTime), r.Run, r.Verdict, r.Layer, inert.Text(r.Tool + " " + r.Call), inert.Text(r.Reason),
		})
	}
	return rows
}

func newAuditVerify(t terminal.Terminal) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use: "verify", Short: "Verify that no row of the audit log was changed or removed", Long: "Verify the audit log of a folder. It fails with exit code 1 and names the first row that does not match its hash.",
		Example: "  forge audit verify", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return terminal.InProject(t, dir, func(e *engine.Engine, root string) error {
				rows, err := e.Audit(root)
				if err == nil {
					fmt.Fprintf(t.Err, "[forge] all %d rows of the audit log are intact\n", len(rows))
				}
				return broken(err)
			})
		},
	}
	c.Flags().StringVar(&dir, "dir", ".", "the folder")
	return c
}

// broken converts the error of a changed log to an exit code.
func broken(err error) error {
	if found := (*permission.BrokenError)(nil); errors.As(err, &found) {
		return terminal.ExitWith(terminal.ExitFailed, found.Error())
	}
	return err
}
