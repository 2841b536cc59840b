package shadow

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"forge/engine/sandbox"
	"forge/patch"
)

// helper makes the test binary play Forge: "work 5" goes round five times, "kill before 3" and "kill
// during 3" end it with SIGKILL at its third git command.
const helper = "SHADOW_TEST_HELPER"

// forge is a helper process on a state folder and a workspace.
func forge(t *testing.T, state, root, what string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("/proc/self/exe") //nolint:gosec // this very test
	cmd.Env = append(os.Environ(), helper+"="+what, "SHADOW_STATE="+state, "SHADOW_ROOT="+root)
	return cmd
}

func playForge(what string) int {
	words := strings.Fields(what)
	count, err := strconv.Atoi(words[len(words)-1])
	if err != nil {
		return 2
	}
	run, rounds := runner(), count
	if words[0] == "kill" {
		run, rounds = &killer{runner: run, at: count, during: words[1] == "during"}, 1
	}
	for range rounds {
		if err := round(context.Background(), run); err != nil {
			fmt.Println(err)
			return 1
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
	s, err := r.Snapshot(ctx, seen(root, map[string]string{"open.txt": "typed", "fresh.txt": "typed"}))
	if err != nil {
		return err
	}
	tree, err := r.Checkout(ctx, s)
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
	if _, err := r.Record(ctx, Entry{RunID: "run", Title: "task", Time: time.Unix(7, 0), Changes: set}); err != nil {
		return err
	}
	return tree.Close()
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
		go k.runner.Run(ctx, c)                                           //nolint:errcheck // nobody lives to see it
		time.Sleep(time.Duration(os.Getpid()%8) * 500 * time.Microsecond) //nolint:forbidigo // dies somewhere in the middle; every moment must be survived
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}
