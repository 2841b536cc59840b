package batch

import (
	"slices"
	"strings"
	"sync"
	"time"

	"forge/engine/llm"
)

// waiter waits for an item in this process.
type waiter struct {
	key     string
	line    line
	batcher llm.Batcher
	model   string // display name
	tell    func(Waiting)
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

// give gives an answer to a waiter, and removes it.
func (ws *waiters) give(w *waiter, response llm.Response, err error) {
	ws.leave(w)
	w.done <- answer{response, err}
}

// refuse gives an error to waiters.
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
	if w.tell != nil {
		w.tell(now)
	}
}
