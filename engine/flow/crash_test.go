package flow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var errCrash = errors.New("the process has died")

// crashing is a journal whose process dies at one of its writes, before or after it.
type crashing struct {
	journal
	left  atomic.Int64
	after bool
	dead  atomic.Bool
}

func (c *crashing) newest(ctx context.Context, node string, attempt int, name string) (Step, bool, error) {
	if c.dead.Load() {
		return Step{}, false, errCrash
	}
	return c.journal.newest(ctx, node, attempt, name)
}

func (c *crashing) begin(ctx context.Context, s Step, lasting bool) error {
	return c.write(func() error { return c.journal.begin(ctx, s, lasting) })
}

func (c *crashing) finish(ctx context.Context, s Step, lasting bool) error {
	return c.write(func() error { return c.journal.finish(ctx, s, lasting) })
}

func (c *crashing) write(f func() error) error {
	if c.dead.Load() {
		return errCrash
	}
	if c.left.Add(-1) != 0 {
		return f()
	}
	c.dead.Store(true)
	if c.after {
		return errors.Join(f(), errCrash)
	}
	return errCrash
}

// op is one operation of a random program: it calls as many steps as it is wide.
type op struct {
	Kind  string // do, fan, wait
	Width int
	Fails bool
}

// scenario is a program, and at which writes of the journal it crashes: an odd number means after the write.
type scenario struct {
	Program []op
	Crashes []int
}

var scenarios = rapid.Custom(func(t *rapid.T) scenario {
	program := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) op {
		return op{
			Kind:  rapid.SampledFrom([]string{"do", "do", "fan", "wait"}).Draw(t, "kind"),
			Width: rapid.IntRange(1, 5).Draw(t, "width"),
			Fails: rapid.Bool().Draw(t, "fails"),
		}
	}), 1, 8).Draw(t, "program")
	return scenario{program, rapid.SliceOfN(rapid.IntRange(0, 40), 0, 6).Draw(t, "crashes")}
})

// play runs a program. What goes into each step depends on all that came out before. The trace has what each operation
// gave; it ends at the first operation that a crash has cut off.
func play(ctx context.Context, f Flow, program []op) (trace []string, crashed bool) {
	state := "begin"
	for i, o := range program {
		call := func(j int) Call {
			do := "succeed"
			if o.Fails {
				do = "fail"
			}
			input, _ := json.Marshal(state) // it is a string
			return Call{Node: fmt.Sprint("node", i%3), Attempt: i, Name: fmt.Sprint(o.Kind, "/", j), Do: do, Input: input}
		}
		var given []Result
		switch o.Kind {
		case "do":
			output, err := f.Do(ctx, call(0))
			given = []Result{{output, err}}
		case "wait":
			output, err := f.Wait(ctx, call(0))
			given = []Result{{output, err}}
		case "fan":
			var calls []Call
			for j := range o.Width {
				calls = append(calls, call(j))
			}
			given = SideBySide(ctx, f, calls)
		}
		line := o.Kind
		for _, g := range given {
			if errors.Is(g.Err, errCrash) {
				return trace, true
			}
			line += fmt.Sprintf(" %s %#v", g.Output, g.Err)
		}
		trace = append(trace, line)
		state = fmt.Sprintf("%x", checksum(state, line))
	}
	return trace, false
}

// performances counts how often each step was performed, by its key.
type performances struct {
	mu sync.Mutex
	n  map[string]int
}

func (p *performances) workers() map[string]Worker {
	count := func(key string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.n[key]++
	}
	return map[string]Worker{
		"succeed": {Activity: func(_ context.Context, key string, input json.RawMessage) (json.RawMessage, error) {
			count(key)
			return fmt.Appendf(nil, `{"of":%s}`, input), nil
		}},
		"fail": {Activity: func(_ context.Context, key string, input json.RawMessage) (json.RawMessage, error) {
			count(key)
			return nil, &Failure{"test", "failed with " + string(input)}
		}},
	}
}

func (p *performances) clone() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := map[string]int{}
	maps.Copy(n, p.n)
	return n
}

// crashAndPlayAgain plays a program until it ends, and checks what must hold whenever it is played again, among
// others that the result is the same as without crashes. resume gives the journal as the next process finds it.
func (s scenario) crashAndPlayAgain(t require.TestingT, ctx context.Context, run string, resume func() (journal, []Step)) {
	performed := &performances{n: map[string]int{}}
	var past []string
	for crash := 0; ; crash++ {
		inner, journaled := resume()
		j := &crashing{journal: inner}
		if crash < len(s.Crashes) {
			j.left.Store(int64(1 + s.Crashes[crash]/2))
			j.after = s.Crashes[crash]%2 == 1
		}
		was := performed.clone()
		trace, crashed := play(ctx, newDriver(run, j, performed.workers(), context.WithCancel, DriverOptions{}), s.Program)
		for _, step := range journaled {
			if step.Finished() {
				require.Equal(t, was[step.Key], performed.clone()[step.Key], "a finished step was performed again")
			}
		}
		common := min(len(past), len(trace))
		require.Equal(t, strings.Join(past[:common], "\n"), strings.Join(trace[:common], "\n"), "the past has changed")
		if len(trace) > len(past) {
			past = trace
		}
		if !crashed {
			break
		}
	}
	whole, _ := play(ctx, InMemory("run", (&performances{n: map[string]int{}}).workers(), DriverOptions{}), s.Program)
	require.Equal(t, whole, past, "a crash has changed what the run comes to")
}

// TestCrash_AnyProgramWithAnyCrashes: a crash at any write of the journal changes nothing of the result of the run, what has
// finished is not performed again, and what a run was given once it is given again.
func TestCrash_AnyProgramWithAnyCrashes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		j := &memoryJournal{}
		scenarios.Draw(rt, "scenario").crashAndPlayAgain(rt, t.Context(), "run", func() (journal, []Step) {
			j = j.clone()
			return j, j.clone().steps
		})
	})
}

// TestCrash_AnyProgramWithAnyCrashesInAStore is the same with journals on the disk.
func TestCrash_AnyProgramWithAnyCrashesInAStore(t *testing.T) {
	t.Parallel()
	s, err := OpenStore(t.Context(), filepath.Join(t.TempDir(), "runs.db"), Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	for i := range 20 {
		id := fmt.Sprint("run", i)
		l, err := s.Begin(t.Context(), NewRun{ID: id})
		require.NoError(t, err)
		scenarios.Example(i).crashAndPlayAgain(t, t.Context(), id, func() (journal, []Step) {
			require.NoError(t, l.Release(t.Context()))
			l, err = s.Claim(t.Context(), id)
			require.NoError(t, err)
			steps, err := s.Steps(t.Context(), id)
			require.NoError(t, err)
			return l, steps
		})
		require.NoError(t, l.End(t.Context(), Done, "", nil))
	}
}

// forgetful is a journal that finds nothing.
type forgetful struct{ *memoryJournal }

func (forgetful) newest(context.Context, string, int, string) (Step, bool, error) {
	return Step{}, false, nil
}

// TestCrash_TheCheckOfCrashesCanFail plays against a journal that forgets what has finished.
func TestCrash_TheCheckOfCrashesCanFail(t *testing.T) {
	t.Parallel()
	failed, j := &recording{}, &memoryJournal{}
	scenario{Program: []op{{Kind: "do"}, {Kind: "do"}}, Crashes: []int{5}}.crashAndPlayAgain(failed, t.Context(), "run",
		func() (journal, []Step) { return forgetful{j}, j.clone().steps })
	require.True(t, failed.failed)
}

// recording is a test that may fail.
type recording struct{ failed bool }

func (r *recording) Errorf(string, ...any) { r.failed = true }
func (r *recording) FailNow()              { r.failed = true }
