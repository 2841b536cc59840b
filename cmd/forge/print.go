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
	out      io.Writer
	tokens   int
	attempts int             // how often a node may be started
	told     map[string]bool // findings on the screen, which a node's reason need not repeat
}

func newPrinter(out io.Writer) *printer { return &printer{out: out, told: map[string]bool{}} }

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
		p.line("folder %s%s", inert.Text(d.Folder), named(d.Model))
	case event.GraphBuilt:
		p.attempts = d.Attempts
	case event.NodeChanged:
		p.node(d.Node)
	case event.ModelCalled:
		p.call(d)
	case event.GateFinished:
		p.gate(d.Report)
	case event.RunEnded:
		reason := d.Reason
		if reason == string(d.State) {
			reason = ""
		}
		p.line("%s%s", d.State, because(reason))
	}
}

func (p *printer) node(n graph.Node) {
	mark, known := statusMarks[n.Status]
	if !known {
		return
	}
	attempt := ""
	if n.Attempt > 1 {
		attempt = fmt.Sprintf(" · try %d/%d", n.Attempt, p.attempts)
	}
	reason := p.news(n.Reason)
	if n.Status == graph.Running {
		reason = "" // it was told when the node was blocked
		p.told = map[string]bool{}
	}
	p.line("%s %-12s %s%s%s", mark, n.ID, n.Status, attempt, because(reason))
}

// news is a reason without the lines that were told already.
func (p *printer) news(reason string) string {
	first, rest, _ := strings.Cut(reason, "\n")
	var text strings.Builder
	text.WriteString(first)
	for line := range strings.Lines(rest) {
		if line = strings.TrimRight(line, "\n"); !p.told[strings.TrimSpace(line)] {
			text.WriteString("\n" + line)
		}
	}
	return text.String()
}

func (p *printer) call(c event.ModelCalled) {
	p.tokens += c.Input + c.Output
	switch {
	case c.Again > 0:
		p.line("    model: asking again in %s%s", c.Again.Round(100*time.Millisecond), because(c.Failure))
	case c.Input+c.Output == 0 && c.Failure != "":
		p.line("    model: no answer") // why not, the node says next
	case c.Failure != "":
		p.line("    model: %d → %d tokens (%d so far), not usable%s", c.Input, c.Output, p.tokens, because(c.Failure))
	default:
		p.line("    model: %d → %d tokens, %s (%d so far)", c.Input, c.Output, c.Elapsed.Round(time.Millisecond), p.tokens)
	}
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
		p.told[strings.TrimSpace(f.String())] = true
		if !strings.Contains(r.Summary, f.String()) {
			p.line("        %s", inert.Text(f.String()))
		}
	}
}

func (p *printer) line(format string, args ...any) {
	fmt.Fprintf(p.out, "[forge] "+format+"\n", args...)
}

// because puts a reason behind what it explains; its further lines are indented below.
func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + strings.ReplaceAll(inert.Text(strings.TrimRight(reason, "\n")), "\n", "\n        ")
}

func named(model string) string {
	if model == "" {
		return ""
	}
	return " · model " + inert.Text(model)
}
