package shadow

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"forge/engine/sandbox"
	"forge/internal/failpoint"
	"forge/patch"
)

// helper makes the test binary play Forge: "work 5" goes round five times, "all 3" does all that
// there is to do three times, "kill before 3" and "kill during 3" end it with SIGKILL at its third git command.
const helper = "SHADOW_TEST_HELPER"

// forge is a helper process on a state folder and a workspace.
func forge(t *testing.T, state, root, what string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("/proc/self/exe") //nolint:gosec // this very test
	cmd.Env = append(os.Environ(), helper+"="+what, "SHADOW_STATE="+state, "SHADOW_ROOT="+root)
	return cmd
}

func playForge(what string) int {
	if err := failpoint.Arm(os.Getenv(failpoint.Environment)); err != nil {
		return 2
	}
	words := strings.Fields(what)
	count, err := strconv.Atoi(words[len(words)-1])
	if err != nil {
		return 2
	}
	run, rounds, deeds := runner(), count, []func(context.Context, sandbox.Runner) error{round}
	switch words[0] {
	case "kill":
		run, rounds, deeds = &killer{runner: run, at: count, during: words[1] == "during"}, 1, append(deeds, clean)
	case "all":
		deeds = append(deeds, round, clean)
	}
	for range rounds {
		for _, do := range deeds {
			if err := do(context.Background(), run); err != nil {
				fmt.Println(err)
				return 1
			}
		}
	}
	fmt.Println("finished")
	return 0
}

// round is all that a run does with its shadow, once.
func round(ctx context.Context, run sandbox.Runner) error {
	root := os.Getenv("SHADOW_ROOT")
	r, err := Open(ctx, run, os.Getenv("SHADOW_STATE"), root)
	if err != nil {
		return err
	}
	s, err := r.Snapshots.Take(ctx, seen(root, map[string]string{"open.txt": "typed", "fresh.txt": "typed"}))
	if err != nil {
		return err
	}
	tree, err := r.Trees.Checkout(ctx, s)
	if err != nil {
		return err
	}
	if text, err := tree.ReadFile("open.txt"); err != nil || string(text) != "typed" {
		return fmt.Errorf("the tree does not hold the buffer: %q %w", text, err)
	}
	set := patch.ChangeSet{Files: []patch.FileChange{{Kind: patch.Update, Path: "open.txt", Before: "typed", After: "better"}}}
	if err := tree.Apply(set); err != nil {
		return err
	}
	if changes, err := tree.Changes(ctx); err != nil || len(changes.Files) != 1 {
		return fmt.Errorf("the tree does not have the change: %v %w", changes, err)
	}
	if _, err := r.Ledger.Record(ctx, Entry{RunID: "run", Title: "task", Time: time.Unix(7, 0), Changes: set}); err != nil {
		return err
	}
	return tree.Close()
}

// clean is what a Forge does beside its runs: all entries but those of the newest run may go, and the pool.
func clean(ctx context.Context, run sandbox.Runner) error {
	r, err := Open(ctx, run, os.Getenv("SHADOW_STATE"), os.Getenv("SHADOW_ROOT"))
	if err != nil {
		return err
	}
	if _, err := r.Trees.Sweep(ctx); err != nil {
		return err
	}
	_, err = r.GC(ctx, GCOptions{Now: time.Now().Add(100 * 24 * time.Hour), KeepRuns: 1, Quota: 1})
	return err
}

// killer ends this process with SIGKILL at its nth command.
type killer struct {
	runner sandbox.Runner
	at     int
	during bool
}

func (k *killer) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	k.at--
	if k.at != 0 {
		return k.runner.Run(ctx, c)
	}
	if k.during {
		go k.runner.Run(ctx, c)                                           //nolint:errcheck // no process survives to see it
		time.Sleep(time.Duration(os.Getpid()%8) * 500 * time.Microsecond) //nolint:forbidigo // dies somewhere in the middle; every moment must be survived
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// counter counts commands.
type counter struct {
	runner   sandbox.Runner
	commands atomic.Int64
}

func (c *counter) Run(ctx context.Context, command sandbox.Command) (sandbox.Result, error) {
	c.commands.Add(1)
	return c.runner.Run(ctx, command)
}
