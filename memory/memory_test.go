package memory

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// noon is when tests begin.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// clock is a time that tests move.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func (c *clock) add(d time.Duration) { c.at = c.at.Add(d) }

// open opens the memory of a project in a folder of its own.
func open(t testing.TB) (*Project, *clock) {
	t.Helper()
	c := &clock{noon}
	return openIn(t, t.TempDir(), c), c
}

func openIn(t testing.TB, folder string, c *clock) *Project {
	t.Helper()
	p, err := Open(t.Context(), folder, "0123456789abcdef0123456789abcdef", Options{Now: c.now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}

// The sources of tests.
var (
	byUser  = Source{Origin: User, Detail: "typed"}
	byModel = Source{Origin: Model, Run: "r1", Node: "executor", Event: 7}
)

// passed and failed are verdicts of go test on the first attempt of the executor in a run.
func passed(t testing.TB, run string) Verdict {
	t.Helper()
	v, err := Passed(GateReport{Run: run, Node: "executor", Attempt: 1, Gate: "go test", Executed: 3, Summary: "3 tests passed"})
	require.NoError(t, err)
	return v
}

func failed(t testing.TB, run string) Verdict {
	t.Helper()
	v, err := Failed(GateReport{Run: run, Node: "executor", Attempt: 1, Gate: "go test", Executed: 3, Summary: "1 of 3 tests failed"})
	require.NoError(t, err)
	return v
}

func write(t testing.TB, s *Store, e Entry) Entry {
	t.Helper()
	kept, err := s.Write(t.Context(), e)
	require.NoError(t, err)
	return kept
}

func keysOf(entries []Entry) (keys []string) {
	for _, e := range entries {
		keys = append(keys, e.Key)
	}
	return keys
}

func read(ctx context.Context, s *Store, tier Tier, agent, key string) string {
	e, err := s.Read(ctx, tier, agent, key)
	if err != nil {
		return err.Error()
	}
	return string(e.Value)
}
