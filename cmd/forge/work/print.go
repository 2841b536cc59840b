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
	said   map[string]string // of each node its last reason, which the end of the run does not repeat
}

func newPrinter(out io.Writer) *printer {
	return &printer{out: out, teller: event.NewTeller(), said: map[string]string{}}
}

// show prints an event. Questions and proposals are shown elsewhere.
func (p *printer) show(e event.Event) {
	for _, line := range p.teller.Tell(p.brief(e)) {
		if line.Phase != event.PhaseAsk && line.Phase != event.PhaseProposal {
			fmt.Fprintf(p.out, "[forge] %s\n", line.Text)
		}
	}
}

// brief removes from the end of a run the reasons that were printed with their nodes.
func (p *printer) brief(e event.Event) event.Event {
	switch d := e.Data.(type) {
	case event.NodeChanged:
		if d.Node.Reason != "" {
			p.said[d.Node.ID] = d.Node.Reason
		}
	case event.RunEnded:
		var nodes []string
		rest := d.Reason
		for rest != "" {
			node, text, found := strings.Cut(rest, ": ")
			reason := p.said[node]
			after, whole := strings.CutPrefix(text, reason)
			next, more := strings.CutPrefix(after, "; ")
			if !found || reason == "" || !whole || after != "" && !more {
				return e
			}
			nodes, rest = append(nodes, node), next
		}
		if len(nodes) > 0 {
			d.Reason = strings.Join(nodes, ", ") + ", see above"
			e.Data = d
		}
	}
	return e
}
