package terminal

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
)

// gates drives a Running by the seconds of a clock.
type gates struct {
	*Running
	out   bytes.Buffer
	start time.Time
}

func newGates(person bool) *gates {
	g := &gates{start: time.Unix(1_000_000, 0)}
	g.Running = NewRunning(Terminal{Err: &g.out, Interactive: person, Environ: []string{"TERM=xterm"}})
	return g
}

func (g *gates) sees(second int, d event.Data) {
	g.Show(event.Event{Time: g.at(second), Data: d}, func(event.Event) { g.out.WriteString("event\n") })
}

func (g *gates) at(second int) time.Time { return g.start.Add(time.Duration(second) * time.Second) }

// said returns what the ticks of the seconds from first to last, and the events before, have printed.
func (g *gates) said(first, last int) string {
	for s := first; s <= last; s++ {
		g.Tick(g.at(s))
	}
	defer g.out.Reset()
	return g.out.String()
}

// Without a terminal a gate that runs for long has a line every 30 seconds, until it ends.
func TestRunning_PrintsALineFromTimeToTime(t *testing.T) {
	t.Parallel()
	g := newGates(false)
	g.sees(0, event.GateStarted{Node: "review", Gate: "go test"})
	require.Equal(t, "event\n", g.said(1, 29))
	require.Equal(t, "[forge]     still running: go test, 30 s\n", g.said(30, 59))
	g.sees(59, event.GateStarted{Node: "review", Gate: "go\x1b[2J vet"})
	require.Equal(t, "event\n[forge]     still running: go test, 60 s; go\\u001b[2J vet, 1 s\n", g.said(60, 89))
	g.sees(89, event.GateFinished{Node: "review", Report: gate.Report{Gate: "go test"}})
	g.sees(89, event.NodeChanged{Node: graph.Node{ID: "review", Status: graph.Blocked}})
	require.Equal(t, "event\nevent\n", g.said(90, 200))
}

// On a terminal the last line is redrawn every second, makes way for the next event, and leaves an open question alone.
func TestRunning_RedrawsALineForAUser(t *testing.T) {
	t.Parallel()
	g := newGates(true)
	g.sees(0, event.GateStarted{Node: "review", Gate: "tap"})
	require.Equal(t, "event\n\r\x1b[2K[forge] running: tap, 1 s\r\x1b[2K[forge] running: tap, 2 s", g.said(0, 2))
	g.sees(3, event.Asked{Question: event.Question{ID: "q"}})
	require.Equal(t, "\r\x1b[2Kevent\n", g.said(3, 9))
	g.sees(9, event.Answered{QuestionID: "q"})
	require.Equal(t, "event\n\r\x1b[2K[forge] running: tap, 10 s", g.said(10, 10))
}
