package batch

import (
	"slices"
	"strings"
	"time"

	"forge/engine/llm"
)

// waiter waits for an item in this process.
type waiter struct {
	key     string
	line    line
	batcher llm.Batcher
	model   string // as people know it
	tell    func(Waiting)
	told    Waiting // last; only the poller uses it
	since   time.Time
	size    int         // bytes of the request
	alone   bool        // it goes into a job of its own; only the poller uses it
	done    chan answer // has room for the one that comes
}

// answer is what a waiter gets.
type answer struct {
	response llm.Response
	err      error
}

// join makes the poller heed a waiter.
func (d *Desk) join(w *waiter) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return errClosed
	}
	d.waiting[w.key] = append(d.waiting[w.key], w)
	if !d.polling {
		d.polling = true
		d.pollers.Go(d.poll) // Close waits for it
	}
	d.nudge()
	return nil
}

// leave is for who waits no more.
func (d *Desk) leave(w *waiter) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiting[w.key] = slices.DeleteFunc(d.waiting[w.key], func(other *waiter) bool { return other == w })
	if len(d.waiting[w.key]) == 0 {
		delete(d.waiting, w.key)
	}
	d.nudge()
}

// everybody is who waits now, in the order of their items.
func (d *Desk) everybody() []*waiter {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []*waiter
	for _, some := range d.waiting {
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

// idle ends the poller if nobody waits.
func (d *Desk) idle() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.waiting) > 0 && !d.closed {
		return false
	}
	d.polling = false
	return true
}

// give gives an answer to a waiter, who then waits no more.
func (d *Desk) give(w *waiter, response llm.Response, err error) {
	d.leave(w)
	w.done <- answer{response, err}
}

// refuse gives an error to waiters.
func (d *Desk) refuse(some []*waiter, err error) {
	for _, w := range some {
		d.give(w, llm.Response{}, err)
	}
}

// report tells a waiter what it waits for, if that is news.
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
