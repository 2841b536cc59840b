package batch

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"forge/engine/llm"
)

// Waiter is the caller of a batched model.
type Waiter struct {
	Run string // id of the run; may be empty
	// Tell, if not nil, is called whenever the awaited job changes. It is called by one goroutine at a time, must return soon and
	// must not call the desk.
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
func (d *Desk) Model(c llm.Candidate, w Waiter) llm.Model {
	return &model{desk: d, candidate: c, waiter: w}
}

type model struct {
	desk      *Desk
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
