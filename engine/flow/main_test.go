package flow_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"forge/engine/flow"
	"forge/internal/failpoint"
)

// TestMain is also the main of the processes that tests start: see process.
func TestMain(m *testing.M) {
	if what := os.Getenv("FORGE_FLOW_CHILD"); what != "" {
		if err := child(context.Background(), what, os.Getenv("FORGE_FLOW_FILE"), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// other is another process of this program: child says what it does with a store.
type other struct {
	*exec.Cmd
	in     io.WriteCloser
	out    *bufio.Scanner
	stderr strings.Builder
}

func process(t *testing.T, what, file string, env ...string) *other {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	o := &other{Cmd: exec.CommandContext(t.Context(), self)}
	o.Env = append(append(os.Environ(), "FORGE_FLOW_CHILD="+what, "FORGE_FLOW_FILE="+file), env...)
	o.Stderr = &o.stderr
	o.in, err = o.StdinPipe()
	require.NoError(t, err)
	out, err := o.StdoutPipe()
	require.NoError(t, err)
	o.out = bufio.NewScanner(out)
	require.NoError(t, o.Start())
	return o
}

// says waits for the next line.
func (o *other) says(t *testing.T) string {
	t.Helper()
	require.True(t, o.out.Scan(), o.stderr.String())
	return o.out.Text()
}

// ended waits for the end, and gives the lines that were not read yet.
func (o *other) ended(t *testing.T) (lines []string, err error) {
	t.Helper()
	_ = o.in.Close() // it may have ended
	for o.out.Scan() {
		lines = append(lines, o.out.Text())
	}
	return lines, o.Wait()
}

func child(ctx context.Context, what, file string, in io.Reader, out io.Writer) (err error) {
	if err := failpoint.Arm(os.Getenv(failpoint.Environment)); err != nil {
		return err
	}
	var o flow.Options
	if os.Getenv("FORGE_FLOW_CLOCK") != "" {
		o.Now = stands
	}
	s, err := flow.OpenStore(ctx, file, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	switch what {
	case "play":
		return playRun(ctx, s, out)
	case "hold":
		return holdRun(ctx, s, in, out)
	case "race":
		return raceForRun(ctx, s, in, out)
	case "obey":
		return obey(ctx, s, out)
	case "cancel":
		return s.Cancel(ctx, "r1")
	case "forget":
		_, err := s.Forget(ctx, "r1", "", 0)
		return err
	}
	return fmt.Errorf("nothing is called %s", what)
}

// beginOrClaim works on r1, which may be there.
func beginOrClaim(ctx context.Context, s *flow.Store) (*flow.Lease, error) {
	l, err := s.Begin(ctx, flow.NewRun{ID: "r1"})
	if errors.Is(err, flow.ErrExists) {
		return s.Claim(ctx, "r1")
	}
	return l, err
}

// playRun plays a run with all kinds of steps, and says the key of each that it performs.
func playRun(ctx context.Context, s *flow.Store, out io.Writer) error {
	l, err := beginOrClaim(ctx, s)
	if err != nil {
		return err
	}
	say := flow.Worker{Activity: func(_ context.Context, key string, input json.RawMessage) (json.RawMessage, error) {
		_, err := fmt.Fprintln(out, key)
		return input, err
	}}
	f := flow.New(l, map[string]flow.Worker{"say": say}, flow.DriverOptions{})
	input := json.RawMessage(`"once"`)
	for i := range 3 {
		if _, err = f.Do(ctx, call(fmt.Sprint("do", i), "say", string(input))); err != nil {
			return err
		}
	}
	if _, err = f.Wait(ctx, call("wait", "say", `"?"`)); err != nil {
		return err
	}
	return l.End(ctx, flow.Done, "", input)
}

// holdRun works on a run until in ends.
func holdRun(ctx context.Context, s *flow.Store, in io.Reader, out io.Writer) error {
	l, err := beginOrClaim(ctx, s)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "held")
	if _, err := io.Copy(io.Discard, in); err != nil {
		return err
	}
	return l.End(ctx, flow.Done, "", nil)
}

// raceForRun claims a run when in ends, says who won, and holds it until it is killed.
func raceForRun(ctx context.Context, s *flow.Store, in io.Reader, out io.Writer) error {
	fmt.Fprintln(out, "ready")
	if _, err := bufio.NewReader(in).ReadString('\n'); err != nil {
		return err
	}
	l, err := s.Claim(ctx, "r1")
	if errors.Is(err, flow.ErrHeld) {
		fmt.Fprintln(out, "lost")
		return nil
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "won")
	if _, err := io.Copy(io.Discard, in); err != nil {
		return err
	}
	return l.End(ctx, flow.Done, "", nil)
}

// obey works on a run with an activity that ends only when its context does, and reports why.
func obey(ctx context.Context, s *flow.Store, out io.Writer) error {
	l, err := beginOrClaim(ctx, s)
	if err != nil {
		return err
	}
	until := flow.Worker{Activity: func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
		fmt.Fprintln(out, "working")
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	_, err = flow.New(l, map[string]flow.Worker{"until": until}, flow.DriverOptions{}).Do(ctx, call("a", "until", ""))
	fmt.Fprintln(out, err)
	if errors.Is(err, flow.ErrCancelled) {
		return l.End(ctx, flow.Cancelled, "", nil)
	}
	return err
}
