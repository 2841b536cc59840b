package batch

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"forge/engine/llm"
)

// Waiter is on whose behalf a model is asked.
type Waiter struct {
	Run string // its id; may be empty
	// Tell, if not nil, is told whenever it changes what is waited for. It is called by one goroutine at a time, must return soon
	// and must not call the desk.
	Tell func(Waiting)
}

// Waiting is what a request waits for.
type Waiting struct {
	Node     string
	Attempt  int
	Provider string
	State    State  // of the job
	ID       string // of the job, as the provider names it; empty until it has
	Items    int    // of the job
	Since    time.Time
	Trouble  string // what the last call of the provider failed with; mostly empty
}

// Model is a candidate that answers by batch: c.Batch must not be nil. Its Complete takes up to a day and an hour and streams nothing. It
// makes no retries: what a provider refuses is an error at once, and an item that expired is one of KindMissing. When ctx ends,
// what was asked for stays asked for: the same request gets its answer later. See Abandon.
func (d *Desk) Model(c llm.Candidate, w Waiter) llm.Model {
	return &model{desk: d, candidate: c, waiter: w}
}

type model struct {
	desk      *Desk
	candidate llm.Candidate
	waiter    Waiter
}

// Name is the name of the candidate.
func (m *model) Name() string { return m.candidate.Model.Name() }

// Complete asks by batch, or waits for what was asked for before.
func (m *model) Complete(ctx context.Context, r llm.Request, _ func(string)) (llm.Response, error) {
	r.Whole = true // it is, and so it counts for nothing in the name of the item
	request, err := json.Marshal(r)
	if err != nil {
		return llm.Response{}, fmt.Errorf("write down what is asked of %s: %w", m.Name(), err)
	}
	l := lineOf(m.candidate)
	i := item{key: keyOf(l, r, request), line: l, run: m.waiter.Run, node: r.Node, request: request}
	if err := m.desk.records.gather(ctx, i); err != nil {
		return llm.Response{}, err
	}
	w := &waiter{
		key: i.key, line: l, batcher: m.candidate.Batch, model: m.Name(), tell: m.waiter.Tell,
		told: Waiting{Node: r.Node, Attempt: r.Attempt, Provider: l.provider}, since: m.desk.records.options.Now(), size: len(request),
		done: make(chan answer, 1),
	}
	if err := m.desk.waiters.join(w, m.desk.poll); err != nil {
		return llm.Response{}, err
	}
	select {
	case a := <-w.done:
		a.response.Latency = m.desk.records.options.Now().Sub(w.since)
		return a.response, a.err
	case <-ctx.Done():
		m.desk.waiters.leave(w)
		return llm.Response{}, ctx.Err()
	}
}
