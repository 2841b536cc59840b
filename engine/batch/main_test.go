package batch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"forge/engine/batch"
	"forge/internal/failpoint"
)

// TestMain is also the main of the processes that tests start: see child.
func TestMain(m *testing.M) {
	if what := os.Getenv("FORGE_BATCH_CHILD"); what != "" {
		if err := child(context.Background(), what, os.Getenv("FORGE_BATCH_DIR"), os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// quick is a queue of a process that is killed: the order of things counts, not how long they take. Its jobs have two items.
var quick = batch.Options{MaxItems: 2, Timing: batch.Timing{
	Gather: time.Hour, Soon: time.Millisecond, Late: 2 * time.Millisecond, Settle: 5 * time.Millisecond, Peek: time.Millisecond,
}}

// far is a provider that outlives processes.
func far(dir string) *provider {
	hides, _ := strconv.Atoi(os.Getenv("FORGE_BATCH_HIDES"))
	return &provider{file: filepath.Join(dir, "provider.json"), hides: hides}
}

// child asks for two answers and prints them, or does something else with the queue.
func child(ctx context.Context, what, dir string, out io.Writer) (err error) {
	if err := failpoint.Arm(os.Getenv(failpoint.Environment)); err != nil {
		return err
	}
	d, err := batch.Open(ctx, filepath.Join(dir, "batch.db"), quick)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	p := far(dir)
	switch what {
	case "ask":
		replies := ask(ctx, d, candidate(near(dir), "m"), batch.Waiter{Run: "r-1"}, "a", "b")
		for _, text := range []string{"a", "b"} {
			if replies[text].err != nil {
				return replies[text].err
			}
			fmt.Fprintln(out, replies[text].text)
		}
		return nil
	case "abandon":
		return d.Abandon(ctx, "r-1", finds(p))
	case "poll":
		_, err := d.Poll(ctx, "", finds(p))
		return err
	}
	return fmt.Errorf("nothing is called %s", what)
}

// process lets another process do something until it ends, and gives the lines that it said.
func process(t *testing.T, what, dir string, env ...string) (lines []string, err error) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	c := exec.CommandContext(t.Context(), self)
	c.Env = append(append(os.Environ(), "FORGE_BATCH_CHILD="+what, "FORGE_BATCH_DIR="+dir), env...)
	var complaint strings.Builder
	c.Stderr = &complaint
	out, err := c.Output()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, complaint.String())
	}
	return slices.Collect(strings.Lines(string(out))), err
}

// killedAt lets another process die at a place.
func killedAt(t *testing.T, what, dir, place string, env ...string) {
	t.Helper()
	_, err := process(t, what, dir, append(env, failpoint.Environment+"="+place)...)
	require.ErrorContains(t, err, "killed", "no process passed %s", place)
}
