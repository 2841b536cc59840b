// Package story prints the events of a run for users, in lines of text: what forge run shows while it happens,
// and forge log afterwards.
//
//	teller := story.New()
//	for _, line := range teller.Tell(e) { fmt.Println(line.Text) }
//
// Invariant: whatever came from a workspace or a model is inert in a Text: nothing in it moves a cursor.
package story

import (
	"fmt"
	"strings"
	"time"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/internal/inert"
)

// Line is one printed item. Its Text may have several lines of its own, the further ones indented.
type Line struct {
	Seq      int // of the event
	Time     time.Time
	Node     string // empty where it is of the whole run
	Phase    Phase
	Severity Severity
	Text     string
}

// Phase is the subject of a line.
type Phase string

// The phases.
const (
	Run      Phase = "run" // its start, its end, and what it goes on with
	Node     Phase = "node"
	Model    Phase = "model"
	Gate     Phase = "gate"
	Ask      Phase = "ask"
	Proposal Phase = "proposal"
	Attempt  Phase = "attempt" // how one came out, what is made of it, and what was learned
)

// Phases are all of them, in the order in which a run has them first.
var Phases = []Phase{Run, Node, Model, Gate, Attempt, Ask, Proposal}

// Severity is how much a line matters.
type Severity string

// The severities.
const (
	Info    Severity = "info"
	Warning Severity = "warning"
	Error   Severity = "error"
)

// Severities are all of them, the least first.
var Severities = []Severity{Info, Warning, Error}

// Teller prints one run. It does not repeat itself: the reason of a node omits the findings that are printed
// above it.
type Teller struct {
	now   event.Standing
	told  map[string]bool // findings that a node's reason need not repeat
	at    event.Event     // of which lines are made
	lines []Line          // of it, so far
}

// New returns a teller that has printed nothing.
func New() *Teller { return &Teller{now: event.Stand(nil), told: map[string]bool{}} }

// maxShown is how many findings of a gate are shown.
const maxShown = 5

// Tell returns the lines of an event, if it has any. Events come in their order.
func (t *Teller) Tell(e event.Event) []Line {
	t.at, t.lines = e, nil
	t.now.Add(e)
	switch d := e.Data.(type) {
	case event.RunStarted:
		t.say(Run, "", Info, "%s  %s", e.RunID, inert.Text(d.Task))
		t.say(Run, "", Info, "folder %s%s%s", inert.Text(d.Folder), named(d.Model), kind(d.Class))
	case event.RunResumed:
		t.resumed(d)
	case event.FilesSkipped, event.SecretsRedacted:
		t.leftOut(d)
	case event.Planned:
		t.planned(d)
	case event.NodeChanged:
		t.node(d.Node)
	case event.ModelCalled, event.BatchWaiting, event.ModelWarming, event.ModelWarmed:
		t.model(d)
	case event.ToolUsed:
		t.tool(d)
	case event.GateFinished:
		t.gate(d)
	case event.Reviewed, event.SpecKept:
		t.opinion(d)
	case event.TaskClassified, event.WorkReported, event.AttemptJudged, event.Diagnosed, event.Learned:
		t.attempt(d)
	case event.Asked, event.Answered:
		t.question(d)
	case event.ProposalReady:
		t.proposed(d)
	case event.RunEnded:
		t.ended(d)
	}
	return t.lines
}

// proposed prints the result.
func (t *Teller) proposed(d event.ProposalReady) {
	size := fmt.Sprintf("proposal %s: %s in %s", d.ProposalID, count(d.Hunks, "hunk"), count(d.Files, "file"))
	if d.Unverified == "" {
		t.say(Proposal, "", Info, "%s", size)
		return
	}
	t.say(Proposal, "", Warning, "%s, not verified: %s", size, strings.ReplaceAll(inert.Text(d.Unverified), "\n", "\n        "))
}

// leftOut prints the files that no model sees.
func (t *Teller) leftOut(d event.Data) {
	switch d := d.(type) {
	case event.FilesSkipped:
		t.skipped(d)
	case event.SecretsRedacted:
		t.redacted(d)
	}
}

// question prints a question to the user, and the answer.
func (t *Teller) question(d event.Data) {
	switch d := d.(type) {
	case event.Asked:
		t.say(Ask, "", Info, "? %s", inert.Text(d.Question.Title))
	case event.Answered:
		t.say(Ask, "", Info, "  %s", answer(d))
	}
}

func (t *Teller) say(p Phase, node string, s Severity, format string, args ...any) {
	t.lines = append(t.lines, Line{
		Seq: t.at.Seq, Time: t.at.Time, Node: node, Phase: p, Severity: s, Text: fmt.Sprintf(format, args...),
	})
}

func (t *Teller) resumed(r event.RunResumed) {
	t.say(Run, "", Info, "%s goes on%s", t.at.RunID, named(r.Model))
	if r.MoreAttempts {
		t.say(Run, "", Info, "the attempts were used up: there are as many again")
	}
	if len(r.Judge) > 0 {
		t.say(Run, "", Info, "the best change of the run is checked again first, and no model is asked for that")
	}
}

func (t *Teller) skipped(s event.FilesSkipped) {
	for i, f := range s.Files {
		if i == maxShown {
			t.say(Run, "", Warning, "… and %d more", len(s.Files)-i)
			return
		}
		t.say(Run, "", Warning, "left out %s%s", inert.Text(f.Path), Because(f.Reason))
	}
}

func (t *Teller) redacted(r event.SecretsRedacted) {
	sum, names := 0, make([]string, 0, maxShown+1)
	for i, s := range r.Secrets {
		sum += s.Count
		if i < maxShown {
			names = append(names, inert.Text(s.Name))
		}
	}
	if n := len(r.Secrets) - maxShown; n > 0 {
		names = append(names, fmt.Sprintf("and %d more", n))
	}
	t.say(Run, "", Info, "%s kept out of prompts and logs: %s", count(sum, "secret"), strings.Join(names, ", "))
}

// The marks of node statuses and gate verdicts.
var (
	statusMarks  = map[graph.Status]string{graph.Running: "▶", graph.Done: "✓", graph.Blocked: "✗", graph.Failed: "✗", graph.Skipped: "⊘"}
	verdictMarks = map[gate.Verdict]string{gate.Pass: "✓", gate.Fail: "✗", gate.Error: "!", gate.NotRun: "⊘"}
)

func (t *Teller) node(n graph.Node) {
	mark, known := statusMarks[n.Status]
	if !known {
		return
	}
	attempt := ""
	if n.Attempt > 1 {
		attempt = fmt.Sprintf(" · try %d", n.Attempt)
		if t.now.Attempts > 0 { // where the teller began in the middle of a run, it does not know
			attempt += fmt.Sprintf("/%d", t.now.Attempts)
		}
	}
	reason, severity := t.news(n.Reason), Info
	switch n.Status {
	case graph.Running:
		reason = "" // it was printed when the node was blocked
		t.told = map[string]bool{}
	case graph.Blocked, graph.Failed:
		severity = Error
	case graph.Pending, graph.Done, graph.Skipped:
	}
	t.say(Node, n.ID, severity, "%s %-12s %s%s%s", mark, n.ID, n.Status, attempt, Because(reason))
}

// news is a reason without the lines that were printed already.
func (t *Teller) news(reason string) string {
	first, rest, _ := strings.Cut(reason, "\n")
	var text strings.Builder
	text.WriteString(first)
	for line := range strings.Lines(rest) {
		if line = strings.TrimRight(line, "\n"); !t.told[strings.TrimSpace(line)] {
			text.WriteString("\n" + line)
		}
	}
	return text.String()
}

var verdictSeverities = map[gate.Verdict]Severity{gate.Pass: Info, gate.NotRun: Warning}

func (t *Teller) gate(f event.GateFinished) {
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
	t.say(Gate, f.Node, severity, "    %s %-9s %s%s (%s)", mark, r.Gate, inert.Text(r.Summary), advisory, r.Elapsed.Round(10*time.Millisecond))
	if r.Verdict == gate.Pass {
		return
	}
	for i, found := range r.Findings {
		if i == maxShown {
			t.say(Gate, f.Node, severity, "        … and %d more", len(r.Findings)-i)
			return
		}
		t.told[strings.TrimSpace(found.String())] = true
		if !strings.Contains(r.Summary, found.String()) {
			t.say(Gate, f.Node, severity, "        %s", inert.Text(found.String()))
		}
	}
}

func (t *Teller) ended(e event.RunEnded) {
	reason, severity := e.Reason, Info
	if reason == string(e.State) {
		reason = ""
	}
	if e.State == event.Failed || e.State == event.Blocked {
		severity = Error
	}
	t.say(Run, "", severity, "%s%s", e.State, Because(reason))
}

func answer(a event.Answered) string {
	switch {
	case a.Text != "":
		return "answered: " + strings.ReplaceAll(inert.Text(a.Text), "\n", " ")
	case a.Choice == "":
		return "no answer"
	}
	return "answered: " + inert.Text(a.Choice)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Because puts a reason behind what it explains; its further lines are indented below. No reason is nothing.
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
