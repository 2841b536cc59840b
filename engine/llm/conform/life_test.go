package conform_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"forge/engine/llm"
	"forge/engine/llm/llmtest"
)

// Checks of cancellation and concurrency.
var lifeChecks = []check{
	{name: "cancel before the answer", run: func(t *trial) error { return t.cancel(llmtest.Reply{Text: "late", DelayMs: never}) }},
	{name: "cancel in the answer", ways: []way{streamed}, run: func(t *trial) error {
		return t.cancel(llmtest.Reply{Stream: []llmtest.Piece{{Delta: "first"}, {Delta: "second", DelayMs: never}}})
	}},
	{name: "a deadline is the caller's", run: checkDeadline},
	{name: "many at once", run: checkConcurrent},
}

// calls counts the calls whose goroutines are watched.
var calls atomic.Int64

// cancel ends a call from outside: its error is the caller's, the connection is closed and no goroutine is left.
func (t *trial) cancel(reply llmtest.Reply) error {
	s, m, err := t.start(llmtest.Entry{Reply: &reply})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(t.within())
	defer cancel()
	label := fmt.Sprintf("call %d of %s", calls.Add(1), t.Name)
	var ended error
	done := make(chan struct{})
	pprof.Do(ctx, pprof.Labels("conform", label), func(ctx context.Context) {
		go func() {
			defer close(done)
			r := hello()
			r.Whole = t.way == whole
			_, ended = m.Complete(ctx, r, func(string) { cancel() })
		}()
	})
	<-s.asked
	if len(reply.Stream) == 0 {
		cancel()
	}
	<-done
	<-s.gone
	if err := alone(t.within(), label); err != nil {
		return err
	}
	return callers(ended, context.Canceled)
}

// callers returns an error if err is not the caller's own.
func callers(err, want error) error {
	var failure *llm.Error
	switch {
	case !errors.Is(err, want):
		return fmt.Errorf("the error is not the caller's: %w", err)
	case errors.As(err, &failure):
		return fmt.Errorf("a call that the caller ended is called a failure of the model: %w", err)
	case strings.Contains(err.Error(), key):
		return errors.New("the key is in the error")
	}
	return nil
}

// alone waits until no goroutine has the label.
func alone(ctx context.Context, label string) error {
	for {
		var dump bytes.Buffer
		if err := pprof.Lookup("goroutine").WriteTo(&dump, 1); err != nil {
			return err
		}
		if !strings.Contains(dump.String(), `"`+label+`"`) {
			return nil
		}
		if llm.Pause(ctx, time.Millisecond) != nil {
			return fmt.Errorf("goroutines of the call are left:\n%s", dump.String())
		}
	}
}

func checkDeadline(t *trial) error {
	s, err := t.serveAny(llmtest.Entry{Reply: &llmtest.Reply{Text: "late", DelayMs: never}})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(t.within(), short)
	defer cancel()
	r := hello()
	r.Whole = t.way == whole
	_, err = t.model(s, nil).Complete(ctx, r, nil)
	return callers(err, context.DeadlineExceeded)
}

// checkConcurrent asks from many goroutines, with one shared request: each must get its own answer.
func checkConcurrent(t *trial) error {
	const askers, times = 16, 4
	var entries []llmtest.Entry
	for i := range askers {
		entries = append(entries, llmtest.Entry{
			Match: llmtest.Match{Contains: []string{fmt.Sprintf("#%d.", i)}}, Reply: &llmtest.Reply{Text: fmt.Sprintf("This is the answer to #%d.", i)}, Times: times,
		})
	}
	_, m, err := t.start(entries...)
	if err != nil {
		return err
	}
	problems := make([]error, askers)
	var asking sync.WaitGroup
	for i := range askers {
		r := hello()
		r.Messages = []llm.Message{{Role: llm.User, Text: fmt.Sprintf("This is #%d.", i)}}
		asking.Go(func() {
			for range times {
				problems[i] = errors.Join(problems[i], t.answered(t.ask(m, r), fmt.Sprintf("This is the answer to #%d.", i)))
			}
		})
	}
	asking.Wait()
	return errors.Join(problems...)
}
