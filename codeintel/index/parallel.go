package index

import "sync"

// inParts cuts a range of n into as many parts as there are workers, neighbours together, and calls do for each at
// the same time. Few are one part.
func inParts(n, workers int, do func(part, from, to int)) {
	const few = 64
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
