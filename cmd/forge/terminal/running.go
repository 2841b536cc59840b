package terminal

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"forge/engine/event"
	"forge/engine/graph"
	"forge/internal/inert"
)

// Running shows for how long gates have been running: for a user, in the last line of the terminal, which it redraws; otherwise as a line
// from time to time. It is silent while a question is open.
type Running struct {
	terminal Terminal
	redraws  bool

	mu    sync.Mutex // guards what follows, and the terminal
	gates []runningGate
	asked map[string]bool // open questions
	drawn bool            // the last line of the terminal is that of the gates
	said  time.Time       // when the last line was printed
}

// runningGate is a gate that has started and not finished.
type runningGate struct {
	node, name string
	since      time.Time
}

const (
	redrawEvery = time.Second
	sayEvery    = 30 * time.Second
	statusWidth = 76 // characters
)

// NewRunning returns one that has seen no event.
func NewRunning(t Terminal) *Running {
	term := t.Env("TERM")
	return &Running{terminal: t, redraws: t.Interactive && term != "" && term != "dumb", asked: map[string]bool{}}
}

// Show calls show to print an event, without the line of the gates in its way, and takes note of the event.
func (r *Running) Show(e event.Event, show func(event.Event)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clear()
	show(e)
	switch d := e.Data.(type) {
	case event.GateStarted:
		r.gates = append(r.gates, runningGate{d.Node, d.Gate, e.Time})
	case event.GateFinished:
		r.drop(func(g runningGate) bool { return g.node == d.Node && g.name == d.Report.Gate })
	case event.NodeChanged: // a gate that was cancelled has no report
		r.drop(func(g runningGate) bool { return g.node == d.Node.ID && d.Node.Status != graph.Running })
	case event.RunEnded:
		r.gates = nil
	case event.Asked:
		r.asked[d.Question.ID] = true
	case event.Answered:
		delete(r.asked, d.QuestionID)
	}
}

func (r *Running) drop(ended func(runningGate) bool) { r.gates = slices.DeleteFunc(r.gates, ended) }

// Tick shows how long the gates have been running at a time.
func (r *Running) Tick(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.gates) == 0 || len(r.asked) > 0 {
		return
	}
	var all []string
	for _, g := range r.gates {
		all = append(all, fmt.Sprintf("%s, %d s", g.name, int(now.Sub(g.since).Seconds())))
	}
	first := r.gates[0].since // gates are in the order of their start
	switch text := strings.Join(all, "; "); {
	case r.redraws:
		if now.Sub(first) >= redrawEvery {
			Draw(r.terminal.Err, "\r\x1b[2K%s", inert.OneLine("[forge] running: "+text, statusWidth))
			r.drawn = true
		}
	case now.Sub(first) >= sayEvery && now.Sub(r.said) >= sayEvery:
		fmt.Fprintf(r.terminal.Err, "[forge]     still running: %s\n", inert.OneLine(text, 200))
		r.said = now
	}
}

// clear removes the line of the gates.
func (r *Running) clear() {
	if r.drawn {
		Draw(r.terminal.Err, "\r\x1b[2K%s", "")
		r.drawn = false
	}
}

// Watch ticks until stop is called.
func (r *Running) Watch() (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(redrawEvery)
		defer ticker.Stop()
		for {
			select {
			case now := <-ticker.C:
				r.Tick(now)
			case <-done:
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}
