package event

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"forge/engine/gate"
	"forge/engine/graph"
	"forge/internal/inert"
)

// Line is one printed item. Its Text may have several lines; all but the first are indented.
type Line struct {
	Seq      int // of the event
	Time     time.Time
	Node     string // empty for the whole run
	Phase    Phase
	Severity Severity
	Text     string
}

// Phase is the subject of a line.
type Phase string

// The phases.
const (
	PhaseRun      Phase = "run" // start, end and resumption of the run
	PhaseNode     Phase = "node"
	PhaseModel    Phase = "model"
	PhaseGate     Phase = "gate"
	PhaseAsk      Phase = "ask"
	PhaseProposal Phase = "proposal"
	PhaseAttempt  Phase = "attempt" // result of an attempt, its diagnosis, and lessons
)

// Phases returns all phases, in the order in which a run first has them.
var Phases = []Phase{PhaseRun, PhaseNode, PhaseModel, PhaseGate, PhaseAttempt, PhaseAsk, PhaseProposal}

// Severity is the severity of a line.
type Severity string

// The severities.
const (
	Info    Severity = "info"
	Warning Severity = "warning"
	Error   Severity = "error"
)

// Severities are all severities, the lowest first.
var Severities = []Severity{Info, Warning, Error}

// Formatter prints one run. It avoids repetition: the reason of a node omits the findings printed above it.
type Formatter struct {
	now     Standing
	said    map[string]bool // findings that a node's reason need not repeat
	warned  map[string]bool // data that instructs models, by its origin and phrase
	advised map[string]bool // advice of gates, which is printed once
	at      Event           // the event being printed
	lines   []Line          // its lines so far
}

// NewFormatter returns a formatter that has printed nothing.
func NewFormatter() *Formatter {
	return &Formatter{now: Stand(nil), said: map[string]bool{}, warned: map[string]bool{}, advised: map[string]bool{}}
}

// maxShown is the number of a gate's findings that are printed.
const maxShown = 5

// Format returns the lines of an event, if any. Events must come in their order.
func (out *Formatter) Format(e Event) []Line {
	out.at, out.lines = e, nil
	out.now.Add(e)
	if d, prints := e.Data.(printed); prints {
		d.format(out)
	}
	return out.lines
}

// printed is an event that has lines for users. It appends them with Formatter.say.
type printed interface{ format(out *Formatter) }

func (d RunStarted) format(out *Formatter) {
	out.say(PhaseRun, "", Info, "%s  %s", out.at.RunID, inert.Text(d.Task))
	out.say(PhaseRun, "", Info, "folder %s%s%s", inert.Text(d.Folder), named(d.Model), kind(d.Class))
}

func (d ProposalReady) format(out *Formatter) {
	if says := ModelSays(d.Explanation); says != "" {
		out.say(PhaseProposal, "", Info, "%s", says)
	}
	size := fmt.Sprintf("proposal %s: %s in %s", d.ProposalID, Count(d.Hunks, "hunk"), Count(d.Files, "file"))
	if d.Unverified == "" {
		out.say(PhaseProposal, "", Info, "%s", size)
		return
	}
	flaw := "not verified"
	if len(d.Missing) > 0 {
		flaw = "not complete"
	}
	out.say(PhaseProposal, "", Warning, "%s, %s: %s", size, flaw, strings.ReplaceAll(inert.Text(d.Unverified), "\n", "\n        "))
}

// ModelSays returns the model's description of its change as text for users, marked as the model's; empty if there is none. Further
// lines are indented.
func ModelSays(explanation string) string {
	if explanation == "" {
		return ""
	}
	return "the model says: " + strings.ReplaceAll(inert.Text(explanation), "\n", "\n        ")
}

func (d Asked) format(out *Formatter) {
	out.say(PhaseAsk, "", Info, "? %s", inert.Text(d.Question.Title))
}

func (d Answered) format(out *Formatter) { out.say(PhaseAsk, "", Info, "  %s", answer(d)) }

func (out *Formatter) say(p Phase, node string, s Severity, format string, args ...any) {
	out.lines = append(out.lines, Line{
		Seq: out.at.Seq, Time: out.at.Time, Node: node, Phase: p, Severity: s, Text: fmt.Sprintf(format, args...),
	})
}

func (r RunResumed) format(out *Formatter) {
	out.say(PhaseRun, "", Info, "%s continues%s", out.at.RunID, named(r.Model))
	if r.MoreAttempts {
		out.say(PhaseRun, "", Info, "no attempts were left: the same number is added")
	}
	if len(r.Judge) > 0 {
		out.say(PhaseRun, "", Info, "the best change of the run is checked again first, without a model")
	}
}

func (s FilesSkipped) format(out *Formatter) {
	for i, f := range s.Files {
		if i == maxShown {
			out.say(PhaseRun, "", Warning, "… and %d more", len(s.Files)-i)
			return
		}
		out.say(PhaseRun, "", Warning, "left out %s%s", inert.Text(f.Path), Because(f.Reason))
	}
}

func (w WorkIncluded) format(out *Formatter) { out.say(PhaseRun, "", Info, "%s", w) }

// String returns, for users, what the run sees, or works without.
func (w WorkIncluded) String() string {
	var what []string
	for _, kind := range []struct {
		name  string
		files []string
		more  int
	}{{"uncommitted file", w.Uncommitted, w.More}, {"unsaved buffer", w.Unsaved, 0}} {
		if n := len(kind.files); n > 0 {
			what = append(what, Count(n+kind.more, kind.name)+": "+someOf(kind.files, kind.more))
		}
	}
	if w.From == "head" {
		return "the run works on the last commit, without " + strings.Join(what, "; and without ")
	}
	return "the run sees " + strings.Join(what, "; and ")
}

// someOf returns the first of some paths; more is how many others there are.
func someOf(paths []string, more int) string {
	shown := make([]string, 0, maxShown+1)
	for _, p := range paths[:min(len(paths), maxShown)] {
		shown = append(shown, inert.Text(p))
	}
	if n := len(paths) - len(shown) + more; n > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(shown, ", ")
}

func (e SecretsRedacted) format(out *Formatter) {
	sum, names := 0, make([]string, 0, maxShown+1)
	for i, s := range e.Secrets {
		sum += s.Count
		if i < maxShown {
			names = append(names, inert.Text(s.Name))
		}
	}
	if n := len(e.Secrets) - maxShown; n > 0 {
		names = append(names, fmt.Sprintf("and %d more", n))
	}
	out.say(PhaseRun, "", Info, "%s kept out of prompts and logs: %s", Count(sum, "secret"), strings.Join(names, ", "))
}

// The marks of node statuses and gate verdicts.
var (
	statusMarks  = map[graph.Status]string{graph.Running: "▶", graph.Done: "✓", graph.Blocked: "✗", graph.Failed: "✗", graph.Skipped: "⊘"}
	verdictMarks = map[gate.Verdict]string{gate.Pass: "✓", gate.Fail: "✗", gate.Error: "!", gate.NotRun: "⊘"}
)

func (d NodeChanged) format(out *Formatter) {
	n := d.Node
	mark, known := statusMarks[n.Status]
	if !known {
		return
	}
	attempt := ""
	if n.Attempt > 1 {
		attempt = fmt.Sprintf(" · try %d", n.Attempt)
		if out.now.Attempts > 0 { // where the formatter began in the middle of a run, it does not know
			attempt += fmt.Sprintf("/%d", out.now.Attempts)
		}
	}
	reason, severity := out.news(n.Reason), Info
	switch n.Status {
	case graph.Running:
		reason = "" // it was printed when the node was blocked
		out.said = map[string]bool{}
	case graph.Blocked, graph.Failed:
		severity = Error
	case graph.Pending, graph.Done, graph.Skipped:
	}
	out.say(PhaseNode, n.ID, severity, "%s %-12s %s%s%s", mark, n.ID, n.Status, attempt, Because(reason))
}

// news returns a reason without the lines that were already printed.
func (out *Formatter) news(reason string) string {
	first, rest, _ := strings.Cut(reason, "\n")
	var text strings.Builder
	text.WriteString(first)
	for line := range strings.Lines(rest) {
		if line = strings.TrimRight(line, "\n"); !out.said[strings.TrimSpace(line)] {
			text.WriteString("\n" + line)
		}
	}
	return text.String()
}

var verdictSeverities = map[gate.Verdict]Severity{gate.Pass: Info, gate.NotRun: Warning}

func (f GateFinished) format(out *Formatter) {
	r := f.Report
	severity, mild := verdictSeverities[r.Verdict]
	if !mild {
		severity = Error
	}
	mark, advisory := verdictMarks[r.Verdict], ""
	switch {
	case r.Verdict == gate.NotRun && r.Empty: // it had nothing to check
		return
	case r.Verdict != gate.Pass && !r.Decides():
		mark, severity, advisory = "·", Info, " [advisory]"
	}
	out.say(PhaseGate, f.Node, severity, "    %s %-9s %s%s (%s)", mark, r.Gate, inert.Text(r.Summary), advisory, r.Elapsed.Round(10*time.Millisecond))
	if r.Verdict == gate.Pass {
		return
	}
	if r.Advice != "" && !out.advised[r.Advice] {
		out.advised[r.Advice] = true
		out.say(PhaseGate, f.Node, severity, "        %s", inert.Text(r.Advice))
	}
	for i, found := range r.Findings {
		if i == maxShown {
			out.say(PhaseGate, f.Node, severity, "        … and %d more", len(r.Findings)-i)
			return
		}
		out.said[strings.TrimSpace(found.String())] = true
		if !strings.Contains(r.Summary, found.String()) {
			out.say(PhaseGate, f.Node, severity, "        %s", strings.ReplaceAll(inert.Text(found.String()), "\n", "\n          "))
		}
	}
}

func (e RunEnded) format(out *Formatter) {
	reason, severity := e.Reason, Info
	if reason == string(e.State) {
		reason = ""
	}
	if e.State == Failed || e.State == Blocked {
		severity = Error
	}
	out.say(PhaseRun, "", severity, "%s%s%s", e.State, Because(reason), e.quiet())
}

// quiet returns how soon a cancelled run was quiet.
func (e RunEnded) quiet() string {
	if e.Quiet == 0 {
		return ""
	}
	return ", quiet after " + e.Quiet.String()
}

func answer(a Answered) string {
	switch {
	case a.Text != "":
		return "answered: " + strings.ReplaceAll(inert.Text(a.Text), "\n", " ")
	case a.Choice == "":
		return "no answer"
	}
	return "answered: " + inert.Text(a.Choice)
}

// Count returns a number of things, in words: "2 parts".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Because returns a reason as a suffix, with its further lines indented; "" for no reason.
func Because(reason string) string {
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

// Filter chooses lines. The zero value chooses all.
type Filter struct {
	Node     string
	Phase    Phase
	Severity Severity // this one and higher ones
}

// Has reports whether the filter chooses a line.
func (f Filter) Has(l Line) bool {
	return (f.Node == "" || f.Node == l.Node) && (f.Phase == "" || f.Phase == l.Phase) &&
		slices.Index(Severities, l.Severity) >= slices.Index(Severities, f.Severity)
}

// Of returns the lines that the filter chooses.
func (f Filter) Of(lines []Line) []Line {
	return slices.DeleteFunc(slices.Clone(lines), func(l Line) bool { return !f.Has(l) })
}
