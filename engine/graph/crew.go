package graph

import (
	"fmt"
	"runtime/debug"
)

// Crew works on several nodes concurrently. How is up to the implementation: a workflow service has its
// own threads. One goroutine uses it.
type Crew interface {
	// Start begins work and returns at once.
	Start(work func() Finished)
	// Next waits until some started work has ended, and returns each once. It is called only while work is outstanding.
	Next() Finished
}

// Together runs functions on a crew, in order, at most limit of them at once. It returns when all have ended. It raises a panic of the
// work once all that has begun has ended.
func Together(crew Crew, limit int, work ...func()) {
	running := 0
	defer func() { await(crew, running) }()
	for _, do := range work {
		if running == limit {
			running-- // before Next, which may panic
			crew.Next()
		}
		crew.Start(func() Finished {
			do()
			return Finished{}
		})
		running++
	}
}

func await(crew Crew, left int) {
	if left > 0 {
		defer await(crew, left-1)
		crew.Next()
	}
}

// Finished is a node whose work has ended.
type Finished struct {
	Node    string
	Outcome Outcome
}

// Goroutines returns a crew with a goroutine for each piece of work. It holds nothing once Next has returned all of it.
// Next raises a panic of the work, with its stack, so that the graph's caller can survive it.
func Goroutines() Crew { return goroutines{make(chan ended)} }

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
