package graph

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Outcome is the result of a node.
type Outcome struct {
	Status Status // Done, Blocked or Failed
	Reason string // for Blocked and Failed
	// Lane is followed when the node is Blocked (or ReviewPass when it is Done or Failed). Normal means none: a
	// blocked node without a lane waits for the user, and so does everything that depends on it.
	Lane EdgeType
	// Grow is work that a Done node adds to the graph.
	Grow Growth
	// Await names nodes that the lane's target waits for from now on, besides its edges. If nodes wait for each other so, the first of
	// them in the graph's order is released when nothing else can continue.
	Await []string
	// Skip names pending nodes that this outcome makes unnecessary.
	Skip []string
}

// Growth is work that is added to a running graph: nodes, then edges between old and new nodes. No normal edge may lead to a node
// that was started already.
type Growth struct {
	Nodes []Node // ID and Kind
	Edges []Edge
}

// Work runs one node. The node is a copy whose Attempt counts this start, and whose Reason is why it was reopened. It
// must return soon after ctx ends.
type Work func(ctx context.Context, n Node) Outcome

// StuckError means that no node is ready though the graph is not complete. It names the Blocked and
// Failed nodes with their reasons.
type StuckError struct{ Nodes []Node }

func (e *StuckError) Error() string {
	var causes []string
	for _, n := range e.Nodes {
		causes = append(causes, fmt.Sprintf("%s is %s: %s", n.ID, n.Status, n.Reason))
	}
	return strings.Join(causes, "; ")
}

// Permits limit how many nodes run at once. A node that waits for its kind's permit delays none of another kind.
type Permits struct {
	Nodes int            // of all kinds; less than 1 is 1
	Of    map[string]int // of one kind, if limited; less than 1 is unlimited
}

// Run starts every node as soon as it is ready and a permit is free, until the graph is complete (nil),
// no node can continue (*StuckError), or ctx ends (its error). It returns when all work has returned.
// changed, if not nil, receives a copy of each node after each change of its status, in order, from one
// goroutine. The pool does the work; Goroutines does it concurrently.
func (g *Graph) Run(ctx context.Context, pool Pool, permits Permits, work Work, changed func(Node)) error {
	r := run{graph: g, pool: pool, work: work, changed: changed}
	defer r.drain()
	for {
		if ctx.Err() == nil {
			if err := r.start(ctx, permits); err != nil {
				return err
			}
		}
		if r.running == 0 {
			if ctx.Err() == nil && r.graph.release() {
				continue
			}
			return r.end(ctx)
		}
		r.running-- // also if Next panics
		done := r.pool.Next()
		if err := r.settle(done); err != nil {
			return err
		}
	}
}

// run is the state of one call of Run; only Run's goroutine touches the graph.
type run struct {
	graph   *Graph
	pool    Pool
	work    Work
	changed func(Node)
	running int
}

// start starts all ready nodes, those with the longest chain of dependent nodes first. An error is a bug in the graph's own table.
func (r *run) start(ctx context.Context, permits Permits) error {
	for _, id := range r.graph.byChain(r.graph.Ready()) {
		if r.running >= max(permits.Nodes, 1) {
			return nil
		}
		kind := r.graph.find(id).Kind
		if most := permits.Of[kind]; most > 0 && r.graph.working(kind) >= most {
			continue
		}
		why := r.graph.find(id).Reason
		if err := r.set(id, Running, why); err != nil {
			return err
		}
		r.running++
		node := *r.graph.find(id)
		r.pool.Start(func() Finished { return Finished{node.ID, r.work(ctx, node)} })
	}
	return nil
}

// working returns how many nodes of a kind are running.
func (g *Graph) working(kind string) (n int) {
	for _, node := range g.nodes {
		if node.Kind == kind && node.Status == Running {
			n++
		}
	}
	return n
}

// settle records an outcome. An error is a bug of the work: an outcome that the table does not have.
func (r *run) settle(done Finished) error {
	if err := r.graph.Set(done.Node, done.Outcome.Status, done.Outcome.Reason); err != nil {
		return err
	}
	r.graph.find(done.Node).Signal = done.Outcome.signal()
	r.notify(done.Node)
	if r.graph.renew(done.Node) {
		r.notify(done.Node)
		return nil
	}
	if done.Outcome.Status == Done {
		if err := r.graph.Grow(done.Outcome.Grow); err != nil {
			return fmt.Errorf("the growth of %s: %w", done.Node, err)
		}
	}
	for _, id := range done.Outcome.Skip {
		if err := r.set(id, Skipped, "not needed: "+done.Outcome.Reason); err != nil {
			return err
		}
	}
	if done.Outcome.Lane == Normal {
		return nil
	}
	reopened, err := r.graph.Follow(done.Node, done.Outcome.Lane, done.Outcome.Reason)
	if to, _ := r.graph.lane(done.Node, done.Outcome.Lane); err == nil {
		r.graph.await(to, done.Outcome.Await)
	}
	if errors.Is(err, ErrMaxHops) && done.Outcome.Status == Blocked {
		return r.set(done.Node, Failed, fmt.Sprintf("%s (%v)", done.Outcome.Reason, ErrMaxHops))
	}
	for _, id := range reopened {
		r.notify(id)
	}
	return err
}

func (r *run) set(id string, s Status, reason string) error {
	if err := r.graph.Set(id, s, reason); err != nil {
		return err
	}
	r.notify(id)
	return nil
}

func (r *run) notify(id string) {
	if r.changed != nil {
		r.changed(*r.graph.find(id))
	}
}

// drain waits for running work, so that none outlives Run. It raises a panic of that work once all has ended.
func (r *run) drain() {
	if r.running == 0 {
		return
	}
	defer r.drain()
	r.running--
	r.pool.Next()
}

func (r *run) end(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if r.graph.Complete() {
		return nil
	}
	stuck := &StuckError{}
	for _, n := range r.graph.nodes {
		if n.Status == Blocked || n.Status == Failed && !r.graph.failuresHandled[n.ID] {
			stuck.Nodes = append(stuck.Nodes, *n)
		}
	}
	return stuck
}
