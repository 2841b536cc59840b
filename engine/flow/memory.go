package flow

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// Memory is a flow whose journal is in memory, for tests of code over Flow.
type Memory struct {
	Flow
	workers map[string]Worker
	options DriverOptions
	journal *memoryJournal

	mu        sync.Mutex // guards performed
	performed []Call
}

// InMemory returns a run without a store.
func InMemory(id string, workers map[string]Worker, o DriverOptions) *Memory {
	return inMemory(id, &memoryJournal{}, workers, o)
}

func inMemory(id string, j *memoryJournal, workers map[string]Worker, o DriverOptions) *Memory {
	m := &Memory{workers: workers, options: o, journal: j}
	d := newDriver(id, j, workers, context.WithCancel, o)
	d.performing = func(c Call) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.performed = append(m.performed, c)
	}
	m.Flow = d
	return m
}

// Again replays the run from its current journal, as after a crash.
func (m *Memory) Again() *Memory {
	return inMemory(m.RunID(), m.journal.clone(), m.workers, m.options)
}

// Steps returns the journal so far, in the order in which steps were begun.
func (m *Memory) Steps() []Step { return m.journal.clone().steps }

// Performed returns the calls of Do and Wait that started an activity since InMemory or Again, in order. It has no replayed call.
func (m *Memory) Performed() []Call {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.performed)
}

// Forget is Store.Forget.
func (m *Memory) Forget(node string, fromAttempt int) int {
	return m.journal.forget(node, fromAttempt)
}

// memoryJournal is the journal of one run.
type memoryJournal struct {
	mu        sync.Mutex // guards the fields below
	steps     []Step
	forgotten []forgetting
}

// forgetting records one call of Forget: which rows no longer count, and how many there were.
type forgetting struct {
	first int64 // the earliest row that was forgotten
	last  int64 // the last row of the journal
}

func (j *memoryJournal) clone() *memoryJournal {
	j.mu.Lock()
	defer j.mu.Unlock()
	return &memoryJournal{steps: slices.Clone(j.steps), forgotten: slices.Clone(j.forgotten)}
}

func (j *memoryJournal) newest(_ context.Context, node string, attempt int, name string) (Step, bool, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, s := range slices.Backward(j.steps) {
		if s.Node == node && s.Attempt == attempt && s.Name == name {
			return s, true, nil
		}
	}
	return Step{}, false, nil
}

func (j *memoryJournal) retried(_ context.Context, s Step) (bool, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.ContainsFunc(j.forgotten, func(f forgetting) bool { return f.first < s.Seq && s.Seq <= f.last }), nil
}

func (j *memoryJournal) begin(_ context.Context, s Step, _ bool) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if s.Seq == 0 {
		s.Seq = int64(len(j.steps) + 1)
		j.steps = append(j.steps, s)
	}
	j.steps[s.Seq-1].Starts++
	return nil
}

func (j *memoryJournal) finish(_ context.Context, s Step, _ bool) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i := range slices.Backward(j.steps) {
		if was := &j.steps[i]; was.Key == s.Key {
			was.Ended, was.Output, was.Failure = s.Ended, s.Output, s.Failure
			break
		}
	}
	return nil
}

func (j *memoryJournal) forget(node string, fromAttempt int) (n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var first int64
	for i := range j.steps {
		s := &j.steps[i]
		if s.Failure != nil && !s.Forgotten && (node == "" || s.Node == node) && s.Attempt >= fromAttempt {
			s.Forgotten = true
			n++
			first = cmp.Or(first, s.Seq)
		}
	}
	if n > 0 {
		j.forgotten = append(j.forgotten, forgetting{first, int64(len(j.steps))})
	}
	return n
}
