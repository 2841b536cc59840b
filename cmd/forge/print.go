package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/internal/inert"
)

// printer shows a run's events to a person, a line each.
type printer struct {
	out    io.Writer
	tokens int
}

// statusMarks are the marks of node statuses and gate verdicts.
var (
	statusMarks  = map[graph.Status]string{graph.Running: "▶", graph.Done: "✓", graph.Blocked: "✗", graph.Failed: "✗", graph.Skipped: "⊘"}
	verdictMarks = map[gate.Verdict]string{gate.Pass: "✓", gate.Fail: "✗", gate.Error: "!", gate.NotRun: "⊘"}
)

// maxShown is how many findings of a gate are shown.
const maxShown = 5

func (p *printer) show(e event.Event) {
	switch d := e.Data.(type) {
	case event.RunStarted:
		p.line("%s  %s", e.RunID, inert.Text(d.Task))
		p.line("folder %s · model %s", d.Folder, orNone(d.Model))
	case event.NodeChanged:
		p.node(d.Node)
	case event.ModelCalled:
		p.call(d)
	case event.GateFinished:
		p.gate(d.Report)
	case event.RunEnded:
		p.line("%s%s", d.State, because(d.Reason))
	}
}

func (p *printer) node(n graph.Node) {
	mark, known := statusMarks[n.Status]
	if !known {
		return
	}
	attempt := ""
	if n.Attempt > 1 {
		attempt = fmt.Sprintf(" · try %d", n.Attempt)
	}
	reason, more, _ := strings.Cut(n.Reason, "\n")
	if n.Status == graph.Running {
		reason = "" // it was told when the node was blocked
	}
	p.line("%s %-12s %s%s%s", mark, n.ID, n.Status, attempt, because(reason))
	for line := range strings.Lines(more) {
		if reason != "" {
			p.line("    %s", inert.Text(strings.TrimRight(line, "\n")))
		}
	}
}

func (p *printer) call(c event.ModelCalled) {
	p.tokens += c.Input + c.Output
	problem := ""
	if c.Failure != "" {
		problem = " · " + inert.Text(c.Failure)
	}
	p.line("    model: %d → %d tokens, %s (%d so far)%s", c.Input, c.Output, c.Elapsed.Round(time.Millisecond), p.tokens, problem)
}

func (p *printer) gate(r gate.Report) {
	p.line("    %s %-9s %s (%s)", verdictMarks[r.Verdict], r.Gate, inert.Text(r.Summary), r.Elapsed.Round(10*time.Millisecond))
	if r.Verdict == gate.Pass {
		return
	}
	for i, f := range r.Findings {
		if i == maxShown {
			p.line("        … and %d more", len(r.Findings)-i)
			return
		}
		p.line("        %s", inert.Text(f.String()))
	}
}

func (p *printer) line(format string, args ...any) {
	fmt.Fprintf(p.out, "[forge] "+format+"\n", args...)
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + inert.Text(reason)
}

func orNone(name string) string {
	if name == "" {
		return "none"
	}
	return inert.Text(name)
}
