package terminal

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"forge/engine/execution"
	"forge/engine/spend"
)

// LimitFlags say what a run may use.
type LimitFlags struct {
	command *cobra.Command
	tokens  int
	usd     float64
	minutes int
}

// Add adds the flags to a command; without describes the default of --tokens.
func (f *LimitFlags) Add(c *cobra.Command, without string) {
	f.command = c
	c.Flags().IntVar(&f.tokens, "tokens", 0, "how many tokens the run may use, in all"+without)
	c.Flags().Float64Var(&f.usd, "usd", 0, "how many US dollars the run may spend, in all")
	c.Flags().IntVar(&f.minutes, "minutes", 0, "how long the run may take, from now on")
}

// maxUSD is more than anybody spends on a run.
const maxUSD = 1_000_000

// Given are the limits that the user gave, and zero for the others. One that is no limit is refused.
func (f *LimitFlags) Given() (execution.Limits, error) {
	changed := func(name string) bool { return f.command.Flags().Changed(name) }
	switch {
	case changed("tokens") && f.tokens <= 0:
		return execution.Limits{}, ExitWith(ExitUsage, fmt.Sprintf("--tokens %d: give how many tokens the run may use, more than 0", f.tokens))
	case changed("usd") && !(f.usd > 0 && f.usd <= maxUSD):
		return execution.Limits{}, ExitWith(ExitUsage, fmt.Sprintf("--usd %v: give how many dollars the run may spend, more than 0", f.usd))
	case changed("minutes") && f.minutes <= 0:
		return execution.Limits{}, ExitWith(ExitUsage, fmt.Sprintf("--minutes %d: give how many minutes the run may take, more than 0", f.minutes))
	}
	return execution.Limits{Tokens: f.tokens, MicroUSD: spend.Micro(f.usd), Duration: time.Duration(f.minutes) * time.Minute}, nil
}
