package memory

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"forge/internal/failpoint"
)

// TestMain is also the main of the processes that tests start: see process.
func TestMain(m *testing.M) {
	if what := os.Getenv("FORGE_MEMORY_CHILD"); what != "" {
		if err := child(context.Background(), what, os.Getenv("FORGE_MEMORY_DIR"), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// process is another process of this program: child says what it does with the memory in a folder.
func process(t *testing.T, what, folder string, env ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(append(os.Environ(), "FORGE_MEMORY_CHILD="+what, "FORGE_MEMORY_DIR="+folder), env...)
	return cmd
}

func child(ctx context.Context, what, folder string, in io.Reader, out io.Writer) error {
	if err := failpoint.Arm(os.Getenv(failpoint.Environment)); err != nil {
		return err
	}
	if what == "transactions" { // wait for the others
		if _, err := io.Copy(io.Discard, in); err != nil {
			return err
		}
	}
	p, err := Open(ctx, folder, "shared", Options{Now: func() time.Time { return noon }})
	if err != nil {
		return err
	}
	switch what {
	case "open":
	case "transactions":
		err = transact(ctx, p, strconv.Itoa(os.Getpid()), 400, io.Discard)
	case "acknowledge":
		err = transact(ctx, p, os.Getenv("FORGE_MEMORY_BY"), 1<<30, out)
	case "import":
		_, err = p.Import(ctx, in, "f")
	case "collect":
		_, err = p.GC(ctx, noon.Add(100*day))
	case "reindex":
		err = p.Reindex(ctx)
	default:
		err = fmt.Errorf("nothing is called %s", what)
	}
	if err != nil {
		return err
	}
	return p.Close()
}

// transact writes by turns what runs write, and says after each what was acknowledged: a line with its number.
func transact(ctx context.Context, p *Project, by string, times int, out io.Writer) error {
	source := Source{Origin: Model, Run: by, Node: "n"}
	for i := range times {
		var err error
		switch i % 4 {
		case 0:
			_, err = p.Write(ctx, Entry{Tier: Long, Agent: by, Key: strconv.Itoa(i), Value: JSON("text"), Source: source})
		case 1:
			_, err = p.SaveSpec(ctx, Spec{Prompt: by, Text: strconv.Itoa(i), Source: source})
		case 2:
			var v Verdict
			if v, err = Passed(GateReport{Run: by, Node: "n", Attempt: i + 1, Gate: "g", Executed: 1}); err == nil {
				_, err = p.Learn(ctx, Pattern{Category: Convention, Text: "shared by all", Source: source}, v)
			}
		case 3:
			_, err = p.Global.Write(ctx, Entry{Tier: Long, Agent: by, Key: strconv.Itoa(i), Value: JSON("text"), Source: source})
		}
		if err != nil {
			return fmt.Errorf("transaction %d: %w", i, err)
		}
		fmt.Fprintln(out, i)
	}
	return nil
}
