package spend_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/spend"
	"forge/internal/failpoint"
	"forge/internal/testkit"
)

const (
	branchesEach = 8  // in a process
	callsEach    = 40 // of a branch
	limitOfAll   = 20_000
)

// biller is a provider that bills each request, whether the answer arrives or not: it first writes a line into a file,
// which outlives the process that asks.
type biller struct {
	bill *os.File
	out  sync.Mutex
}

func (b *biller) Name() string { return "biller" }

func (b *biller) Complete(_ context.Context, q llm.Request, _ func(string)) (llm.Response, error) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(q.Key))
	random := rand.New(rand.NewPCG(h.Sum64(), rand.Uint64()))
	u := llm.Usage{Input: 1 + random.IntN(32), Output: random.IntN(q.MaxTokens + 1)}
	turnedDown := random.IntN(5) == 0
	if !turnedDown {
		if _, err := fmt.Fprintf(b.bill, "%d\n", u.Input+u.Output); err != nil { // one write: lines of several processes do not mix
			return llm.Response{}, err
		}
	}
	b.out.Lock()
	fmt.Println("asked")
	b.out.Unlock()
	switch {
	case turnedDown:
		return llm.Response{}, &llm.Error{Kind: llm.KindTransient, Status: 503, Err: errors.New("busy")}
	case random.IntN(6) == 0:
		return llm.Response{}, &llm.Error{Kind: llm.KindTruncated, Err: errors.New("cut")}
	case random.IntN(6) == 0:
		return llm.Response{Text: "a"}, nil // it does not say what it billed
	}
	return llm.Response{Text: "a", Usage: u}, nil
}

// branches is a process of a run: branches that call side by side, until nothing may be spent any more.
func branches(ctx context.Context, file, bill, who string) error {
	if err := failpoint.Arm(os.Getenv(failpoint.Environment)); err != nil {
		return err
	}
	l, err := spend.Open(ctx, file, spend.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }()
	billed, err := os.OpenFile(bill, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = billed.Close() }()
	wall := spend.Wall(&biller{bill: billed}, spend.Account{
		Ledger: l, Attempt: spend.Attempt{Tree: "r-1", Run: "r-1/" + who, Provider: "p", Model: "m"},
		Tariff: spend.Tariff{Price: spend.Price{Input: micros, Output: micros}, Known: true},
	})
	var all sync.WaitGroup
	failed := make(chan error, branchesEach)
	for branch := range branchesEach {
		all.Go(func() { failed <- callUntilExhausted(ctx, wall, fmt.Sprint(who, "/", branch)) })
	}
	all.Wait()
	close(failed)
	for err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

const micros = 1_000_000 // a token costs a millionth of a dollar

func callUntilExhausted(ctx context.Context, wall llm.Model, branch string) error {
	for i := range callsEach {
		q := llm.Request{Node: branch, Key: fmt.Sprint(branch, "/", i), MaxTokens: 40}
		_, err := wall.Complete(ctx, q, nil)
		var failure *llm.Error
		switch {
		case err == nil:
		case !errors.As(err, &failure):
			return err
		case failure.Kind == llm.KindBudget:
			return nil
		}
	}
	return nil
}

// However many branches of a run ask at once, in however many processes, and wherever those are killed and begun again: what was
// billed is within the limit.
func TestProcesses_NothingIsOverspent(t *testing.T) {
	t.Parallel()
	for name, limits := range map[string]spend.Limits{"tokens": {Tokens: limitOfAll}, "money": {MicroUSD: limitOfAll}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file, bill := filepath.Join(dir, "cost.db"), filepath.Join(dir, "bill")
			l := openLedger(t, file)
			require.NoError(t, l.Allow(t.Context(), "r-1", limits))
			var all sync.WaitGroup
			var killed atomic.Int32
			for who := range 4 {
				all.Go(func() {
					random := rand.New(rand.NewPCG(uint64(who), 5))
					for life := range 3 {
						environ := []string{}
						if life == 0 {
							environ = append(environ, fmt.Sprintf("%s=%s:%d", failpoint.Environment, testkit.Failpoints("engine/spend")[who%2], 1+random.IntN(9)))
						}
						if killedAfter(t, file, bill, fmt.Sprint(who), 1+random.IntN(30), life, environ) {
							killed.Add(1)
						}
					}
				})
			}
			all.Wait()
			require.Greater(t, int(killed.Load()), 3, "the twin: most processes before the last are killed")
			sum, lines := billed(t, bill)
			require.LessOrEqual(t, sum, int64(limitOfAll), "overspent")
			require.Greater(t, sum, int64(limitOfAll/4), "the twin: much of it is spent")
			require.Greater(t, lines, 100)
			total := spent(t, l)
			require.LessOrEqual(t, total.Tokens+total.HeldTokens, int64(limitOfAll))
		})
	}
}

// killedAfter lets a process make some calls, and kills it in the middle of others, unless nothing may be spent any more and
// it has ended; its third process always ends by itself.
func killedAfter(t *testing.T, file, bill, who string, calls, life int, environ []string) (killed bool) {
	self, err := os.Executable()
	require.NoError(t, err)
	c := exec.CommandContext(t.Context(), self)
	c.Env = append(append(os.Environ(), "FORGE_SPEND_LEDGER="+file, "FORGE_SPEND_BILL="+bill, "FORGE_SPEND_WHO="+who), environ...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	lines := bufio.NewScanner(out)
	for range calls {
		if !lines.Scan() {
			break
		}
	}
	if life == 1 {
		_ = c.Process.Kill() // it may have ended
	}
	for lines.Scan() { //nolint:revive // until its end
	}
	err = c.Wait()
	require.Empty(t, stderr.String())
	if life == 2 {
		require.NoError(t, err)
	}
	return err != nil
}

func billed(t *testing.T, bill string) (sum int64, lines int) {
	t.Helper()
	text, err := os.ReadFile(bill)
	require.NoError(t, err)
	for line := range bytes.Lines(text) {
		var n int64
		_, err := fmt.Sscan(string(line), &n)
		require.NoError(t, err)
		sum += n
		lines++
	}
	return sum, lines
}
