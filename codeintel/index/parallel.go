package index

import (
	"iter"
	"sync"
	"sync/atomic"
)

// inTurn calls do for each worker at the same time, with the numbers below n that it works on. The numbers are given out in
// order, in pieces: so all workers end at about the same time, however long each piece takes. No worker starts without a piece.
func inTurn(n, piece, workers int, do func(worker int, numbers iter.Seq[int])) {
	var given atomic.Int64
	numbers := func(yield func(int) bool) {
		for {
			end := int(given.Add(int64(piece)))
			for i := end - piece; i < min(end, n); i++ {
				if !yield(i) {
					return
				}
			}
			if end >= n {
				return
			}
		}
	}
	var working sync.WaitGroup
	for worker := range min(workers, (n+piece-1)/piece) {
		working.Go(func() { do(worker, numbers) })
	}
	working.Wait()
}

// task is work that a goroutine does concurrently with the keeper, one piece after the other. Its methods are the keeper's to call.
type task[T any] struct {
	running *sync.WaitGroup
	inbox   *inbox // is rung when the work is done
	busy    bool
	done    chan T
}

func newTask[T any](x *Index) *task[T] {
	return &task[T]{running: &x.running, inbox: x.inbox, done: make(chan T, 1)}
}

// start starts work. The result of the last work must have been taken.
func (t *task[T]) start(do func() T) {
	t.busy = true
	t.running.Go(func() {
		t.done <- do()
		t.inbox.ring()
	})
}

// take returns the result of the work, if it is done.
func (t *task[T]) take() (result T, ok bool) {
	select {
	case result = <-t.done:
		t.busy = false
		return result, true
	default:
		return result, false
	}
}

// wait returns the result of the work when it is done. There must be some.
func (t *task[T]) wait() T {
	t.busy = false
	return <-t.done
}
