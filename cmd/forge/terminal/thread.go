package terminal

import (
	"github.com/spf13/cobra"

	"forge/engine"
)

// ThreadFlag is the flag --continue: the conversation that a run continues.
type ThreadFlag struct{ ID string }

// Add adds the flag to a command.
func (f *ThreadFlag) Add(c *cobra.Command) {
	c.Flags().StringVar(&f.ID, "continue", "", "continue the last conversation in the folder, of any terminal or editor; or --continue=ID: see forge conversations")
	c.Flags().Lookup("continue").NoOptDefVal = engine.LatestThread
}
