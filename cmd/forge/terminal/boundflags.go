package terminal

import (
	"fmt"

	"github.com/spf13/cobra"

	"forge/engine/mode"
	"forge/engine/pipeline/work"
)

// BoundFlags say how far a run goes.
type BoundFlags struct {
	command   *cobra.Command
	attempts  int
	noExplore bool
}

// Add adds the flags to a command.
func (f *BoundFlags) Add(c *cobra.Command) {
	f.command = c
	c.Flags().IntVar(&f.attempts, "max-attempts", 0, fmt.Sprintf("how often the change may be tried, %d to %d; without it what you have set, or %d",
		mode.Attempts.Least, mode.Attempts.Most, work.DefaultAttempts))
	c.Flags().BoolVar(&f.noExplore, "no-explore", false, "ask no model what else must be read before anything is written")
}

// Given are the bounds that the user gave, and zero for the others.
func (f *BoundFlags) Given() (b mode.Bounds, err error) {
	if f.noExplore {
		b.Rounds = mode.Never
	}
	if !f.command.Flags().Changed("max-attempts") {
		return b, nil
	}
	named := mode.Attempts
	named.Setting = "--max-attempts"
	if err := named.Set(&b, f.attempts); err != nil {
		return b, ExitWith(ExitUsage, err.Error())
	}
	return b, nil
}
