package graph

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
func Goroutines() Crew { return goroutines{make(chan Finished)} }

type goroutines struct{ ended chan Finished }

func (g goroutines) Start(work func() Finished) { go func() { g.ended <- work() }() }

func (g goroutines) Next() Finished { return <-g.ended }
