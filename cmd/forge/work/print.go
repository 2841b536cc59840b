package work

import (
	"fmt"
	"io"
	"strings"

	"forge/engine/event"
)

// printer prints the events of a run for the user.
type printer struct {
	out    io.Writer
	teller *event.Teller
	said   string // the last stopped node and its reason, which the end of the run does not repeat
}

func newPrinter(out io.Writer) *printer { return &printer{out: out, teller: event.NewTeller()} }

// show prints an event. Questions and proposals are shown elsewhere.
func (p *printer) show(e event.Event) {
	for _, line := range p.teller.Tell(p.brief(e)) {
		if line.Phase != event.PhaseAsk && line.Phase != event.PhaseProposal {
			fmt.Fprintf(p.out, "[forge] %s\n", line.Text)
		}
	}
}

// brief removes from the end of a run the reason that was printed with its node.
func (p *printer) brief(e event.Event) event.Event {
	switch d := e.Data.(type) {
	case event.NodeChanged:
		if d.Node.Reason != "" {
			p.said = d.Node.ID + ": " + d.Node.Reason
		}
	case event.RunEnded:
		if node, _, found := strings.Cut(d.Reason, ": "); found && d.Reason == p.said {
			d.Reason = node + ", see above"
			e.Data = d
		}
	}
	return e
}
