package terminal

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"forge/api/service"
	"forge/engine"
	"forge/engine/config"
	"forge/engine/execution"
	"forge/engine/mode"
	"forge/engine/pipeline/work"
	"forge/engine/spend"
)

// OneTask requires exactly one task argument.
func OneTask(c *cobra.Command, args []string) error {
	example, _, _ := strings.Cut(strings.TrimSpace(c.Example), "\n")
	switch {
	case len(args) == 0 || len(args) == 1 && strings.TrimSpace(args[0]) == "":
		return fmt.Errorf("the task is missing: describe it, as in\n  %s", example)
	case len(args) > 1:
		return fmt.Errorf("the task has %d arguments: quote it, as in\n  %s", len(args), example)
	}
	return nil
}

// FocusPath converts a path to the engine's form: with slashes, and clean.
func FocusPath(file string) string {
	if file == "" {
		return ""
	}
	return filepath.ToSlash(filepath.Clean(file))
}

// TrustToReadUsage describes the flag --trust of a command that only reads.
const TrustToReadUsage = "let models read the folder from now on; nothing in it is executed, and its instructions are not followed"

// TrustUsage describes the flag --trust of a command.
const TrustUsage = "trust the folder from now on: its skills and instructions are read, and its compilers and tests, which execute its code, may run"

// BoundFlags are the flags that bound a run.
type BoundFlags struct {
	command   *cobra.Command
	attempts  int
	sanity    int
	fanout    int
	noExplore bool
}

// Add adds the flags to a command.
func (f *BoundFlags) Add(c *cobra.Command) {
	f.command = c
	c.Flags().IntVar(&f.attempts, "max-attempts", 0, fmt.Sprintf("limit of attempts, %d to %d; default: your setting, or %d",
		mode.Attempts.Least, mode.Attempts.Most, work.DefaultAttempts))
	c.Flags().IntVar(&f.sanity, "sanity-every", 0, fmt.Sprintf("with a plan: have its planner look at it again after every so many parts, 0 to %d; 0 is never; default: your setting, or never", mode.Sanity.Most))
	c.Flags().IntVar(&f.fanout, "fanout-depth", 0, fmt.Sprintf("with a plan: into how many levels of pieces a part may be cut, 0 to %d; 0 runs the sub-tasks of a part as one task; default: your setting, or %d", mode.Fanout.Most, work.DefaultFanout))
	c.Flags().BoolVar(&f.noExplore, "no-explore", false, "do not ask a model which files to read before it writes")
}

// Given returns the bounds that the user set; the others are zero.
func (f *BoundFlags) Given() (b mode.Bounds, err error) {
	if f.noExplore {
		b.Rounds = mode.Never
	}
	for _, given := range []struct {
		flag  string
		bound mode.Bound
		value int
	}{{"max-attempts", mode.Attempts, f.attempts}, {"sanity-every", mode.Sanity, f.sanity}, {"fanout-depth", mode.Fanout, f.fanout}} {
		if !f.command.Flags().Changed(given.flag) {
			continue
		}
		given.bound.Setting = "--" + given.flag
		if err := given.bound.Set(&b, given.value); err != nil {
			return b, ExitWith(ExitUsage, err.Error())
		}
	}
	return b, nil
}

// LimitFlags are the flags that limit the cost and time of a run.
type LimitFlags struct {
	command *cobra.Command
	tokens  int
	usd     float64
	minutes int
}

// Add adds the flags to a command; without describes the default of --tokens.
func (f *LimitFlags) Add(c *cobra.Command, without string) {
	f.command = c
	c.Flags().IntVar(&f.tokens, "tokens", 0, "limit of tokens of the run"+without)
	c.Flags().Float64Var(&f.usd, "usd", 0, "limit of US dollars of the run")
	c.Flags().IntVar(&f.minutes, "minutes", 0, "limit of minutes from now, without those in which a batch is awaited")
}

// maxUSD bounds --usd.
const maxUSD = 1_000_000

// Given returns the limits that the user set; the others are zero. It rejects invalid limits.
func (f *LimitFlags) Given() (execution.Limits, error) {
	changed := func(name string) bool { return f.command.Flags().Changed(name) }
	switch {
	case changed("tokens") && f.tokens <= 0:
		return execution.Limits{}, ExitWith(ExitUsage, fmt.Sprintf("--tokens %d: want a number of tokens above 0", f.tokens))
	case changed("usd") && !(f.usd > 0 && f.usd <= maxUSD):
		return execution.Limits{}, ExitWith(ExitUsage, fmt.Sprintf("--usd %v: want an amount of dollars above 0", f.usd))
	case changed("minutes") && f.minutes <= 0:
		return execution.Limits{}, ExitWith(ExitUsage, fmt.Sprintf("--minutes %d: want a number of minutes above 0", f.minutes))
	}
	return execution.Limits{Tokens: f.tokens, MicroUSD: spend.Micro(f.usd), Duration: time.Duration(f.minutes) * time.Minute}, nil
}

// ModelFlags choose a model for one command.
type ModelFlags struct {
	command *cobra.Command
	Name    string // "model" or "provider/model"
	Offline bool
}

// Add adds the flags to a command.
func (f *ModelFlags) Add(c *cobra.Command) {
	f.command = c
	c.Flags().StringVar(&f.Name, "model", "", "the model, or provider/model; forge models lists them")
	c.Flags().BoolVar(&f.Offline, "offline", false, "use only servers on this machine and download nothing; --offline=false overrides your settings")
}

// Models returns the flags as settings.
func (f *ModelFlags) Models() config.Models {
	m := config.Models{Default: f.Name}
	if f.command.Flags().Changed("offline") {
		m.Offline = &f.Offline
	}
	return m
}

// Resumes rejects flags that a run would not obey if it is resumed, and trusts its folder if the user says so. Of an unknown run it says nothing.
func (f *ModelFlags) Resumes(ctx context.Context, e *engine.Engine, id string, trust bool) error {
	if f.command.Flags().Changed("offline") && !f.Offline {
		if again, err := e.Again(ctx, id, "", service.At("").Snapshot()); err == nil && again.Offline {
			return ExitWith(ExitUsage, "--offline=false: the run was started with --offline, and stays offline: leave it out, or start the task again")
		}
	}
	if !trust {
		return nil
	}
	if run, err := e.Find(ctx, id); err == nil {
		if err := e.Trust(run.Root); err != nil {
			return ExitWith(ExitBlocked, err.Error())
		}
	}
	return nil
}
