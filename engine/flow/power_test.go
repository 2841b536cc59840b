package flow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// unplugged is a journal whose machine loses power at one of its writes: only what a lasting write has followed is left.
type unplugged struct {
	*memoryJournal
	mu   sync.Mutex // guards what follows
	left int        // writes until then; it is off at 0
	disk *memoryJournal
}

func (u *unplugged) begin(ctx context.Context, s Step, lasting bool) error {
	return u.write(lasting, func() error { return u.memoryJournal.begin(ctx, s, lasting) })
}

func (u *unplugged) finish(ctx context.Context, s Step, lasting bool) error {
	return u.write(lasting, func() error { return u.memoryJournal.finish(ctx, s, lasting) })
}

func (u *unplugged) write(lasting bool, f func() error) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.left == 0 {
		return errCrash
	}
	u.left--
	if err := f(); err != nil {
		return err
	}
	if lasting {
		u.disk = u.memoryJournal.clone()
	}
	return nil
}

// TestPower_BilledResultsSurviveALossOfPower: a program looks at a world that differs each time, and makes billed calls that depend on
// it. Whenever power is lost, each call has one key, and is not billed again once the program has had its result, though the world may be
// looked at again.
func TestPower_BilledResultsSurviveALossOfPower(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		program := rapid.SliceOfN(rapid.SampledFrom([]string{"look", "look", "look all", "pay", "pay all"}), 1, 10).Draw(rt, "program")
		losses := rapid.SliceOfN(rapid.IntRange(0, 30), 0, 8).Draw(rt, "losses of power")
		market := market{bought: map[string]string{}, had: map[string]bool{}}
		u := &unplugged{disk: &memoryJournal{}}
		for i := 0; ; i++ {
			writes := -1
			if i < len(losses) {
				writes = losses[i]
			}
			u = &unplugged{memoryJournal: u.disk.clone(), disk: u.disk, left: writes}
			if market.run(rt, newDriver("run", u, market.workers(rt), context.WithCancel, DriverOptions{}), program) {
				return
			}
		}
	})
}

// market is what the programs of the test deal with.
type market struct {
	mu     sync.Mutex // guards what follows
	looks  int
	bought map[string]string // the key that was paid by, by the name of the step
	had    map[string]bool   // the steps whose results the program had
}

func (m *market) workers(t require.TestingT) map[string]Worker {
	return map[string]Worker{
		"look": {Repeatable: true, Activity: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.looks++
			return fmt.Append(nil, m.looks), nil
		}},
		"pay": {Activity: func(_ context.Context, key string, input json.RawMessage) (json.RawMessage, error) {
			var order struct{ Name string }
			require.NoError(t, json.Unmarshal(input, &order))
			m.mu.Lock()
			defer m.mu.Unlock()
			if was, known := m.bought[order.Name]; known {
				require.Equal(t, was, key, "%s has another key", order.Name)
			}
			require.False(t, m.had[order.Name], "%s is requested again", order.Name)
			m.bought[order.Name] = key
			return input, nil
		}},
	}
}

// run plays a program, until it ends or power is lost.
func (m *market) run(t require.TestingT, f Flow, program []string) (ended bool) {
	seen := "nothing"
	for i, op := range program {
		do, all := strings.CutSuffix(op, " all")
		calls := make([]Call, 1)
		if all {
			calls = make([]Call, 3)
		}
		for j := range calls {
			name := fmt.Sprint(i, "/", j)
			input, err := json.Marshal(map[string]string{"Name": name, "Seen": seen})
			require.NoError(t, err)
			calls[j] = Call{Node: "n", Attempt: 1, Name: name, Do: do, Input: input}
		}
		for j, r := range SideBySide(context.Background(), f, calls) {
			if errors.Is(r.Err, errCrash) {
				return false
			}
			require.NoError(t, r.Err)
			seen = fmt.Sprintf("%x", checksum(seen, string(r.Output)))
			if do == "pay" {
				m.mu.Lock()
				m.had[calls[j].Name] = true
				m.mu.Unlock()
			}
		}
	}
	return true
}
