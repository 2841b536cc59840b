package graph

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A panic of some work is raised where the graph is run, when all other work has ended.
func TestPool_APanicIsRaisedWhereTheGraphIsRun(t *testing.T) {
	t.Parallel()
	g := Goroutines()
	r := run{pool: g, running: 2}
	going := make(chan struct{})
	g.Start(func() Finished { panic("boom") })
	g.Start(func() Finished { <-going; return Finished{Node: "other"} })
	func() {
		defer func() {
			text, _ := recover().(string)
			require.Contains(t, text, "boom")
			require.Contains(t, text, "pool_test.go", "with the stack that it had")
		}()
		defer r.drain()
		defer close(going)
		r.running--
		g.Next()
	}()
	require.Zero(t, r.running)
}
