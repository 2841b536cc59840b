package graph

import (
	"fmt"
	"runtime/debug"
)

// Pool runs work of several nodes concurrently. How is up to the implementation: a workflow service has its
// own threads. One goroutine uses it.
type Pool interface {
	// Start begins work and returns at once.
	Start(work func() Finished)
	// Next waits until some started work has ended, and returns each once. It is called only while work is outstanding.
	Next() Finished
}

// Together runs functions on a pool, in order, at most limit of them at once. It returns when all have ended. It raises a panic of the
// work once all that has begun has ended.
func Together(pool Pool, limit int, work ...func()) {
	running := 0
	defer func() { await(pool, running) }()
	for _, do := range work {
		if running == limit {
			running-- // before Next, which may panic
			pool.Next()
		}
		pool.Start(func() Finished {
			do()
			return Finished{}
		})
		running++
	}
}

func await(pool Pool, left int) {
	if left > 0 {
		defer await(pool, left-1)
		pool.Next()
	}
}

// Finished is a node whose work has ended.
type Finished struct {
	Node    string
	Outcome Outcome
}

// Goroutines returns a pool with a goroutine for each piece of work. It holds nothing once Next has returned all of it.
// Next raises a panic of the work, with its stack, so that the graph's caller can survive it.
func Goroutines() Pool { return goroutines{make(chan ended)} }

type goroutines struct{ ended chan ended }

// ended is work that has ended, normally or by a panic.
type ended struct {
	Finished
	panic string // with its stack; empty: none
}

func (g goroutines) Start(work func() Finished) {
	go func() {
		var e ended
		defer func() {
			if fault := recover(); fault != nil {
				e.panic = fmt.Sprintf("%v\n%s", fault, debug.Stack())
			}
			g.ended <- e
		}()
		e.Finished = work()
	}()
}

func (g goroutines) Next() Finished {
	e := <-g.ended
	if e.panic != "" {
		panic(e.panic)
	}
	return e.Finished
}
