package spend_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/spend"
)

func openLedger(t *testing.T, file string) *spend.Ledger {
	t.Helper()
	l, err := spend.Open(t.Context(), file, spend.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func newLedger(t *testing.T) *spend.Ledger {
	return openLedger(t, filepath.Join(t.TempDir(), "cost.db"))
}

func of(key string) spend.Attempt {
	return spend.Attempt{Tree: "r-1", Run: "r-1", Node: "executor", Attempt: 1, Key: key, Provider: "openai", Model: "gpt-4o"}
}

func spent(t *testing.T, l *spend.Ledger) spend.Total {
	t.Helper()
	total, err := l.Spent(t.Context(), "r-1")
	require.NoError(t, err)
	return total
}

func used(n int) llm.Usage { return llm.Usage{Input: n} }

// A call's highest cost is charged before it, and the real one after it.
func TestLedger_AnAmountIsChargedFromBeforeItIsSpent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ending spend.Ending
		tokens int64 // spent
		held   int64
		money  int64
	}{
		"answered":   {spend.Answered, 40, 0, 7},
		"lost":       {spend.Lost, 100, 0, 900},
		"free":       {spend.Free, 0, 0, 0},
		"broken off": {spend.BrokenOff, 0, 100, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLedger(t)
			id, err := l.Reserve(t.Context(), of("k"), spend.Amount{Tokens: 100, MicroUSD: 900})
			require.NoError(t, err)
			require.EqualValues(t, 100, spent(t, l).HeldTokens)
			require.Zero(t, spent(t, l).Tokens)
			require.NoError(t, l.Settle(t.Context(), of("k"), id, c.ending, used(40), llm.Cost{MicroUSD: 7}))
			total := spent(t, l)
			require.Equal(t, c.tokens, total.Tokens)
			require.Equal(t, c.held, total.HeldTokens)
			require.Equal(t, c.money, total.Cost.MicroUSD)
		})
	}
}

func TestLedger_ALimitIsAWall(t *testing.T) {
	t.Parallel()
	for name, limits := range map[string]spend.Limits{
		"tokens": {Tokens: 250}, "money": {MicroUSD: 2500}, "both": {Tokens: 9999, MicroUSD: 2500},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLedger(t)
			require.NoError(t, l.Allow(t.Context(), "r-1", limits))
			most := spend.Amount{Tokens: 100, MicroUSD: 1000}
			for i := range 2 {
				id, err := l.Reserve(t.Context(), of(fmt.Sprint(i)), most)
				require.NoError(t, err)
				require.NoError(t, l.Settle(t.Context(), of(fmt.Sprint(i)), id, spend.Lost, llm.Usage{}, llm.Cost{}))
			}
			_, err := l.Reserve(t.Context(), of("3"), most)
			exhausted := new(spend.ExhaustedError)
			require.ErrorAs(t, err, &exhausted)
			require.ErrorContains(t, err, "forge resume r-1 --")
			require.EqualValues(t, 200, spent(t, l).Tokens, "it is charged nothing")
			other := of("3")
			other.Tree = "r-2"
			_, err = l.Reserve(t.Context(), other, most)
			require.NoError(t, err, "the twin: another run has a budget of its own")

			require.NoError(t, l.Allow(t.Context(), "r-1", spend.Limits{Tokens: 300, MicroUSD: 3000}))
			_, err = l.Reserve(t.Context(), of("3"), most)
			require.NoError(t, err, "a limit can be raised")
		})
	}
}

func TestLedger_ALimitThatIsNotRaisedStays(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	require.NoError(t, l.Allow(t.Context(), "r-1", spend.Limits{Tokens: 5, MicroUSD: 6}))
	require.NoError(t, l.Allow(t.Context(), "r-1", spend.Limits{MicroUSD: 7}))
	limits, err := l.Allowed(t.Context(), "r-1")
	require.NoError(t, err)
	require.Equal(t, spend.Limits{Tokens: 5, MicroUSD: 7}, limits)
}

// The amount of an interrupted call is held, and counts in the wall for ever: it may have been billed. Once the same call
// was made again and answered, users no longer see it.
func TestLedger_HoldsInterruptedCalls(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	require.NoError(t, l.Allow(t.Context(), "r-1", spend.Limits{Tokens: 250}))
	_, err := l.Reserve(t.Context(), of("a"), spend.Amount{Tokens: 100})
	require.NoError(t, err)
	again := openAgain(t, l)
	id, err := again.Reserve(t.Context(), of("a"), spend.Amount{Tokens: 100})
	require.NoError(t, err)
	require.NoError(t, again.Settle(t.Context(), of("a"), id, spend.Answered, used(30), llm.Cost{}))
	total := spent(t, again)
	require.EqualValues(t, 30, total.Tokens)
	require.Zero(t, total.HeldTokens)
	_, err = again.Reserve(t.Context(), of("b"), spend.Amount{Tokens: 121})
	require.ErrorAs(t, err, new(*spend.ExhaustedError))
	_, err = again.Reserve(t.Context(), of("b"), spend.Amount{Tokens: 120})
	require.NoError(t, err)
}

// A call that was interrupted while it waited for a batch waits for the same item again: it is charged once, also in the wall,
// and an answer that was lost in a crash is not charged twice.
func TestLedger_AWaitForABatchIsChargedOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answered bool // before the crash
		batch    bool
		left     int64 // of 250
	}{
		"cut off":                {false, true, 220},
		"answered":               {true, true, 220},
		"the twin: not by batch": {false, false, 120},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLedger(t)
			require.NoError(t, l.Allow(t.Context(), "r-1", spend.Limits{Tokens: 250}))
			call := of("a")
			call.Batch = c.batch
			id, err := l.Reserve(t.Context(), call, spend.Amount{Tokens: 100})
			require.NoError(t, err)
			if c.answered {
				require.NoError(t, l.Settle(t.Context(), call, id, spend.Answered, used(30), llm.Cost{}))
			}
			again := openAgain(t, l)
			id, err = again.Reserve(t.Context(), call, spend.Amount{Tokens: 100})
			require.NoError(t, err)
			require.NoError(t, again.Settle(t.Context(), call, id, spend.Answered, used(30), llm.Cost{}))
			require.EqualValues(t, 30, spent(t, again).Tokens)
			_, err = again.Reserve(t.Context(), of("b"), spend.Amount{Tokens: c.left + 1})
			require.ErrorAs(t, err, new(*spend.ExhaustedError))
			_, err = again.Reserve(t.Context(), of("b"), spend.Amount{Tokens: c.left})
			require.NoError(t, err)
		})
	}
}

// openAgain opens the file of a ledger as the next process does.
func openAgain(t *testing.T, l *spend.Ledger) *spend.Ledger {
	t.Helper()
	file := l.File()
	require.NoError(t, l.Close())
	return openLedger(t, file)
}

// Branches that stand in each other's way only for as long as they are under way wait for each other: together they spend what
// there is, and never more.
func TestLedger_BranchesWaitForEachOther(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	require.NoError(t, l.Allow(t.Context(), "r-1", spend.Limits{Tokens: 1000}))
	var wait sync.WaitGroup
	var mu sync.Mutex
	refused := 0
	for i := range 32 {
		wait.Go(func() {
			a := of(fmt.Sprint(i))
			id, err := l.Reserve(t.Context(), a, spend.Amount{Tokens: 400})
			if errors.As(err, new(*spend.ExhaustedError)) {
				mu.Lock()
				defer mu.Unlock()
				refused++
				return
			}
			require.NoError(t, err)
			require.NoError(t, l.Settle(t.Context(), a, id, spend.Answered, used(100), llm.Cost{}))
		})
	}
	wait.Wait()
	require.EqualValues(t, 700, spent(t, l).Tokens, "until less than the most of a call is left")
	require.Equal(t, 25, refused)
}

func TestLedger_WaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	require.NoError(t, l.Allow(t.Context(), "r-1", spend.Limits{Tokens: 100}))
	_, err := l.Reserve(t.Context(), of("a"), spend.Amount{Tokens: 100})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = l.Reserve(ctx, of("b"), spend.Amount{Tokens: 100})
	require.ErrorIs(t, err, context.Canceled)
}

func TestLedger_Reports(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 31, 23, 0, 0, 0, time.UTC)
	l, err := spend.Open(t.Context(), filepath.Join(t.TempDir(), "cost.db"), spend.Options{Now: func() time.Time { return now }})
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	spend1 := func(model, node, run string, e spend.Ending, cost llm.Cost) {
		a := spend.Attempt{Tree: run, Run: run, Folder: "/f/" + run, Node: node, Provider: "p", Model: model, Key: "k"}
		id, err := l.Reserve(t.Context(), a, spend.Amount{Tokens: 100, MicroUSD: 50})
		require.NoError(t, err)
		require.NoError(t, l.Settle(t.Context(), a, id, e, llm.Usage{Input: 10, Output: 5, CacheRead: 2}, cost))
	}
	spend1("cheap", "plan", "r-1", spend.Answered, llm.Cost{MicroUSD: 3})
	spend1("cheap", "plan", "r-1", spend.Free, llm.Cost{})
	now = now.Add(2 * time.Hour)
	spend1("dear", "code", "r-1", spend.Answered, llm.Cost{MicroUSD: 30})
	spend1("odd", "code", "r-2", spend.Answered, llm.Cost{Unpriced: true})
	spend1("odd", "code", "r-2", spend.BrokenOff, llm.Cost{})
	for name, c := range map[string]struct {
		query spend.Query
		want  []string
	}{
		"by model": {spend.Query{}, []string{"p/odd 2 117 $0.0001 + unknown price held 100", "p/dear 1 17 $0.0001 held 0", "p/cheap 1 17 $0.0001 held 0"}},
		"by run":   {spend.Query{By: spend.ByRun}, []string{"r-2 2 117 $0.0001 + unknown price held 100", "r-1 2 34 $0.0001 held 0"}},
		"by day":   {spend.Query{By: spend.ByDay}, []string{"2026-02-01 3 134 $0.0001 + unknown price held 100", "2026-01-31 1 17 $0.0001 held 0"}},
		"by node":  {spend.Query{By: spend.ByNode}, []string{"code 3 134 $0.0001 + unknown price held 100", "plan 1 17 $0.0001 held 0"}},
		"of a run": {spend.Query{Run: "r-1", By: spend.ByRun}, []string{"r-1 2 34 $0.0001 held 0"}},
		"of a day": {spend.Query{Since: now.Add(-time.Hour), Run: "r-1"}, []string{"p/dear 1 17 $0.0001 held 0"}},
		"of none":  {spend.Query{Run: "r-9"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			rows, err := l.Report(t.Context(), c.query)
			require.NoError(t, err)
			var lines []string
			for _, r := range rows {
				lines = append(lines, fmt.Sprintf("%s %d %d %s held %d", r.Name, r.Attempts, r.Tokens, r.Cost, r.Held))
			}
			require.Equal(t, c.want, lines)
		})
	}
	_, err = l.Report(t.Context(), spend.Query{By: "mood"})
	require.ErrorContains(t, err, `not by "mood"`)
}

// One that waits for its turn is let in when another is settled, on whatever clock.
func TestLedger_NotifiesWaitersOfEachEnd(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	require.NoError(t, l.Allow(t.Context(), "r-1", spend.Limits{Tokens: 100}))
	first, err := l.Reserve(t.Context(), of("a"), spend.Amount{Tokens: 100})
	require.NoError(t, err)
	done := make(chan error)
	go func() {
		_, err := l.Reserve(t.Context(), of("b"), spend.Amount{Tokens: 100})
		done <- err
	}()
	require.NoError(t, l.Settle(t.Context(), of("a"), first, spend.Free, llm.Usage{}, llm.Cost{}))
	require.NoError(t, <-done)
}
