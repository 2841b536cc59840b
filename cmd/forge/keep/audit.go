package keep

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/internal/inert"
)

// NewAudit returns the command forge audit.
func NewAudit(t terminal.Terminal) *cobra.Command {
	var f terminal.KeptFlags
	var run string
	c := &cobra.Command{
		Use: "audit", Short: "List each decision about a tool of a model, and each refused call",
		Long: `List the decisions about tools of models in a folder, oldest first: the call, the verdict, which layer decided, and why. Secrets are
removed. Each row is chained to the one before it by SHA-256, so that forge audit verify finds a row that was changed or removed, also
at the end. A program that can write to Forge's folder can still rewrite the whole log.`,
		Example: "  forge audit\n  forge audit --run r-4f1c0a72 --json\n  forge audit verify", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.With(t, func(e *engine.Engine, in service.Folder) error {
				result, err := service.Audit(c.Context(), e, in, &api.AuditArgs{Run: run})
				if err := terminal.Shown(t, f.JSON, result, err, func(r api.AuditResult) error { return terminal.TableOr(t, auditRows(r), "no decisions are recorded") }); err != nil {
					return err
				}
				return broken(result)
			})
		},
	}
	f.Add(c)
	c.Flags().StringVar(&run, "run", "", "only the decisions of this run")
	c.AddCommand(newAuditVerify(t))
	return c
}

func auditRows(result api.AuditResult) [][]string {
	rows := [][]string{{"ROW", "TIME", "RUN", "VERDICT", "BY", "CALL", "REASON"}}
	for _, r := range result.Rows {
		rows = append(rows, []string{
			fmt.Sprint(r.Seq), terminal.When(r.Time).Format(time.DateTime), r.Run, r.Verdict, r.Layer, inert.Text(r.Tool + " " + r.Call), inert.Text(r.Reason),
		})
	}
	return rows
}

func newAuditVerify(t terminal.Terminal) *cobra.Command {
	var f terminal.KeptFlags
	c := &cobra.Command{
		Use: "verify", Short: "Verify that no row of the audit log was changed or removed", Long: "Verify the audit log of a folder. It fails with exit code 1 and names the first row that does not match its hash.",
		Example: "  forge audit verify", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.With(t, func(e *engine.Engine, in service.Folder) error {
				result, err := service.Audit(c.Context(), e, in, &api.AuditArgs{})
				if err != nil || result.Broken != "" {
					return errors.Join(err, broken(result))
				}
				switch n := len(result.Rows); n {
				case 0:
					fmt.Fprintln(t.Err, "[forge] the audit log has no rows")
				case 1:
					fmt.Fprintln(t.Err, "[forge] the only row of the audit log is intact")
				default:
					fmt.Fprintf(t.Err, "[forge] all %d rows of the audit log are intact\n", n)
				}
				return nil
			})
		},
	}
	c.Flags().StringVar(&f.Dir, "dir", ".", "the folder")
	return c
}

// broken returns the error of a command for a log that was changed, or nil.
func broken(result api.AuditResult) error {
	if result.Broken == "" {
		return nil
	}
	return terminal.ExitWith(terminal.ExitFailed, result.Broken)
}
