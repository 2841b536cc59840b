package work

import (
	"fmt"
	"io"
	"strings"

	"forge/engine/event"
)

// printer shows a run's events to the user while they happen.
type printer struct {
	out    io.Writer
	teller *event.Teller
	said   string // the node that was stopped last, and why: the end of a run repeats neither
}

func newPrinter(out io.Writer) *printer { return &printer{out: out, teller: event.NewTeller()} }

// show shows an event. Questions and proposals are not among the lines: they stand on the screen by themselves.
func (p *printer) show(e event.Event) {
	for _, line := range p.teller.Tell(p.brief(e)) {
		if line.Phase != event.PhaseAsk && line.Phase != event.PhaseProposal {
			fmt.Fprintf(p.out, "[forge] %s\n", line.Text)
		}
	}
}

// brief leaves out of the end of a run the reason that its node gave in the lines above.
func (p *printer) brief(e event.Event) event.Event {
	switch d := e.Data.(type) {
	case event.NodeChanged:
		if d.Node.Reason != "" {
			p.said = d.Node.ID + ": " + d.Node.Reason
		}
	case event.RunEnded:
		if node, _, found := strings.Cut(d.Reason, ": "); found && d.Reason == p.said {
			d.Reason = node + ", as said above"
			e.Data = d
		}
	}
	return e
}
