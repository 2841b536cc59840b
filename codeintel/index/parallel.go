package index

import (
	"sync"
	"sync/atomic"
)

// few is up to how many things are not worth another goroutine.
const few = 64

// inTurn calls do for each worker at the same time. next gives out the range of n piece by piece, in order, and then
// empty pieces: so all workers end at about the same time, however long each piece takes. For few there is one worker.
func inTurn(n, workers int, do func(worker int, next func() (from, to int))) {
	const piece = 16
	if n <= few {
		workers = 1
	}
	var given atomic.Int64
	next := func() (from, to int) {
		to = int(given.Add(piece))
		return min(to-piece, n), min(to, n)
	}
	var working sync.WaitGroup
	for worker := range workers {
		working.Go(func() { do(worker, next) })
	}
	working.Wait()
}

// inParts cuts a range of n into as many parts as there are workers, neighbours together, and calls do for each at
// the same time. Few are one part.
func inParts(n, workers int, do func(part, from, to int)) {
	if n <= few {
		workers = 1
	}
	size := (n + workers - 1) / workers
	var working sync.WaitGroup
	for part := range workers {
		from, to := min(part*size, n), min((part+1)*size, n)
		if from < to {
			working.Go(func() { do(part, from, to) })
		}
	}
	working.Wait()
}
