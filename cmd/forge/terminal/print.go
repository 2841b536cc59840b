package terminal

import (
	"fmt"
	"io"
	"strings"

	"forge/engine/event"
)

// Printer prints the events of a run for the user.
type Printer struct {
	out       io.Writer
	formatter *event.Formatter
	said      map[string]string // of each node its last reason, which the end of the run does not repeat
}

// NewPrinter returns a printer that writes to out.
func NewPrinter(out io.Writer) *Printer {
	return &Printer{out: out, formatter: event.NewFormatter(), said: map[string]string{}}
}

// Show prints an event. Questions and proposals are shown elsewhere.
func (p *Printer) Show(e event.Event) {
	for _, line := range p.formatter.Format(p.brief(e)) {
		if line.Phase != event.PhaseAsk && line.Phase != event.PhaseProposal {
			fmt.Fprintf(p.out, "[forge] %s\n", line.Text)
		}
	}
	if ended, is := e.Data.(event.RunEnded); is {
		if way := wayOut(e.RunID, ended.Remedy); way != "" {
			fmt.Fprintf(p.out, "[forge] %s\n", way)
		}
	}
}

// brief removes from the end of a run the reasons that were printed with their nodes.
func (p *Printer) brief(e event.Event) event.Event {
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
