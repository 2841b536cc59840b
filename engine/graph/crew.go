package graph

import (
	"fmt"
	"runtime/debug"
)

// Crew works on several nodes side by side. How it does that is its own business: a service for workflows
// has threads of its own. It is used from one goroutine.
type Crew interface {
	// Start begins work and returns at once.
	Start(work func() Finished)
	// Next waits until some work that was started has ended, and gives each of it once. It is called only
	// while there is some.
	Next() Finished
}

// Finished is a node whose work has ended.
type Finished struct {
	Node    string
	Outcome Outcome
}

// Goroutines is a crew that has a goroutine for each piece of work. It holds nothing once Next has given
// all that was started.
// A panic of the work is raised in Next, with the stack that it had, so that whoever runs the graph can survive it.
func Goroutines() Crew { return goroutines{make(chan ended)} }

type goroutines struct{ ended chan ended }

// ended is work that has ended, in either way.
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
