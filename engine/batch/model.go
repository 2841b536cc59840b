package batch

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"forge/engine/llm"
)

// Waiter is the caller of a batched model.
type Waiter struct {
	Run string // id of the run; may be empty
	// Tell, if not nil, is called whenever the awaited job changes. It is called by one goroutine at a time, must return soon and
	// must not call the queue.
	Tell func(Waiting)
}

// Waiting is the job that a request waits for.
type Waiting struct {
	Node     string
	Attempt  int
	Provider string
	State    State  // of the job
	ID       string // the provider's id of the job; empty until known
	Items    int    // of the job
	Since    time.Time
	Trouble  string // error of the last call to the provider; mostly empty
}

// Model returns a candidate that answers by batch: c.Batch must not be nil. Its Complete takes up to 25 hours and streams nothing.
// It does not retry: a provider's rejection is an error at once, and an expired item is an error of KindMissing. When ctx ends, the
// request stays submitted: the same request gets its answer later. See Abandon.
func (q *Queue) Model(c llm.Candidate, w Waiter) llm.Model {
	return &model{queue: q, candidate: c, waiter: w}
}

type model struct {
	queue     *Queue
	candidate llm.Candidate
	waiter    Waiter
}

// Name returns the name of the candidate.
func (m *model) Name() string { return m.candidate.Model.Name() }

// Complete asks by batch, or waits for an earlier identical request.
func (m *model) Complete(ctx context.Context, r llm.Request, _ func(string)) (llm.Response, error) {
	r.Whole = true // batches do not stream, so it must not change the item's key
	request, err := json.Marshal(r)
	if err != nil {
		return llm.Response{}, fmt.Errorf("encode the request to %s: %w", m.Name(), err)
	}
	l := lineOf(m.candidate)
	i := item{key: keyOf(l, r, request), line: l, run: m.waiter.Run, node: r.Node, request: request}
	if err := m.queue.records.gather(ctx, i); err != nil {
		return llm.Response{}, err
	}
	w := &waiter{
		key: i.key, line: l, batcher: m.candidate.Batch, model: m.Name(), notify: m.waiter.Tell,
		told: Waiting{Node: r.Node, Attempt: r.Attempt, Provider: l.provider}, since: m.queue.records.options.Now(), size: len(request),
		done: make(chan answer, 1),
	}
	if err := m.queue.waiters.join(w, m.queue.poll); err != nil {
		return llm.Response{}, err
	}
	select {
	case a := <-w.done:
		a.response.Latency = m.queue.records.options.Now().Sub(w.since)
		return a.response, a.err
	case <-ctx.Done():
		m.queue.waiters.leave(w)
		return llm.Response{}, ctx.Err()
	}
}

// waiter waits for an item in this process.
type waiter struct {
	key     string
	line    line
	batcher llm.Batcher
	model   string // display name
	notify  func(Waiting)
	told    Waiting // last report; only the poller uses it
	since   time.Time
	size    int         // bytes of the request
	alone   bool        // it needs a job without other items; only the poller uses it
	done    chan answer // has room for the answer
}

// answer is the result for a waiter.
type answer struct {
	response llm.Response
	err      error
}

// waiters are all waiters of this process, and whether a poller runs for them.
type waiters struct {
	wake    chan struct{} // asks the poller for a round now
	pollers sync.WaitGroup

	mu      sync.Mutex // guards the fields below
	waiting map[string][]*waiter
	polling bool
	closed  bool
}

func newWaiters() *waiters {
	return &waiters{wake: make(chan struct{}, 1), waiting: map[string][]*waiter{}}
}

// join adds a waiter, and starts poll if it does not run.
func (ws *waiters) join(w *waiter, poll func()) error {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.closed {
		return errClosed
	}
	ws.waiting[w.key] = append(ws.waiting[w.key], w)
	if !ws.polling {
		ws.polling = true
		ws.pollers.Go(poll) // Close waits for it
	}
	ws.nudge()
	return nil
}

// close rejects new waiters.
func (ws *waiters) close() {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.closed = true
}

// nudge asks the poller for a round now.
func (ws *waiters) nudge() {
	select {
	case ws.wake <- struct{}{}:
	default: // it is about to
	}
}

// leave removes a waiter.
func (ws *waiters) leave(w *waiter) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.waiting[w.key] = slices.DeleteFunc(ws.waiting[w.key], func(other *waiter) bool { return other == w })
	if len(ws.waiting[w.key]) == 0 {
		delete(ws.waiting, w.key)
	}
	ws.nudge()
}

// everybody returns the current waiters, in the order of their items.
func (ws *waiters) everybody() []*waiter {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	var all []*waiter
	for _, some := range ws.waiting {
		all = append(all, some...)
	}
	slices.SortFunc(all, func(a, b *waiter) int {
		if c := a.since.Compare(b.since); c != 0 {
			return c
		}
		return strings.Compare(a.key, b.key)
	})
	return all
}

// idle ends the poller if there are no waiters.
func (ws *waiters) idle() bool {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if len(ws.waiting) > 0 && !ws.closed {
		return false
	}
	ws.polling = false
	return true
}

// give passes an answer to a waiter, and removes it.
func (ws *waiters) give(w *waiter, response llm.Response, err error) {
	ws.leave(w)
	w.done <- answer{response, err}
}

// refuse passes an error to waiters.
func (ws *waiters) refuse(some []*waiter, err error) {
	for _, w := range some {
		ws.give(w, llm.Response{}, err)
	}
}

// report reports to a waiter what it waits for, if that has changed.
func (w *waiter) report(now Waiting) {
	now.Node, now.Attempt, now.Provider = w.told.Node, w.told.Attempt, w.told.Provider
	if now == w.told {
		return
	}
	w.told = now
	if w.notify != nil {
		w.notify(now)
	}
}
