package keep

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
)

// quietWithin is how long Forge waits for a run of another process to stop.
const quietWithin = time.Minute

// NewKill returns the command forge kill.
func NewKill(t terminal.Terminal) *cobra.Command {
	var f terminal.KeptFlags
	const example = "forge kill r-4f1c0a72"
	c := &cobra.Command{
		Use:     "kill RUN",
		Short:   "Stop a run permanently, in any process, including an editor's server",
		Example: "  " + example,
		Args:    terminal.Exactly(1, example),
		RunE: func(c *cobra.Command, args []string) error {
			return f.With(t, func(e *engine.Engine, _ service.Folder) error {
				result, err := service.KillRun(c.Context(), e, quietWithin, &api.KillArgs{RunID: args[0]})
				return terminal.Shown(t, f.JSON, result, err, func(r api.StateResult) error {
					_, err := fmt.Fprintf(t.Out, "%s is %s\n", r.RunID, r.State)
					return err
				})
			})
		},
	}
	c.Flags().StringVar(&f.Dir, "dir", ".", "the folder; the run may be of any folder")
	c.Flags().BoolVar(&f.JSON, "json", false, "print the result as JSON")
	return c
}
