package terminal

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"forge/engine/config"
	"forge/engine/execution"
	"forge/engine/mode"
	"forge/engine/pipeline/work"
	"forge/engine/spend"
)

// OneTask demands a task, and says how to give one.
func OneTask(_ *cobra.Command, args []string) error {
	const example = `forge run "add a Sum function to package stats, with tests"`
	switch {
	case len(args) == 0 || len(args) == 1 && strings.TrimSpace(args[0]) == "":
		return fmt.Errorf("there is no task: say what is to be done, as in\n  %s", example)
	case len(args) > 1:
		return fmt.Errorf("the task is %d arguments: put it in quotes, as in\n  %s", len(args), example)
	}
	return nil
}

// FocusPath is a path as the engine names files: with slashes, and without detours.
func FocusPath(file string) string {
	if file == "" {
		return ""
	}
	return filepath.ToSlash(filepath.Clean(file))
}

// TrustToReadUsage says what the flag --trust of a command that only reads means, for that call and for good.
const TrustToReadUsage = "let models read the folder from now on; nothing of it is executed, and its instructions are not followed"

// TrustUsage says what the flag --trust of a command means, for that call and for good.
const TrustUsage = "trust the folder from now on: its skills and instructions are read, and its compilers and tests, which execute its code, may run"

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

// ModelFlags choose a model for one command.
type ModelFlags struct {
	model   string // "model" or "provider/model"
	offline bool
}

// Add adds the flags to a command.
func (f *ModelFlags) Add(c *cobra.Command) {
	c.Flags().StringVar(&f.model, "model", "", "the model, or provider/model; forge models lists them")
	c.Flags().BoolVar(&f.offline, "offline", false, "ask nothing but servers on this machine")
}

// Models are what the flags say, as settings.
func (f *ModelFlags) Models() config.Models {
	m := config.Models{Default: f.model}
	if f.offline {
		m.Offline = &f.offline
	}
	return m
}
