package event

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"forge/engine/gate"
	"forge/internal/inert"
)

func (d TaskClassified) print(t *Teller) {
	if d.Class.Kind != "" {
		t.say(PhaseRun, "", Info, "    taken for: %s", inert.Text(d.Class.Kind))
	}
}

func (d WorkReported) print(t *Teller) {
	for _, c := range d.Concerns {
		t.say(PhaseAttempt, d.Node, Warning, "    %snot sure: %s", of(d.Part), inert.Text(c))
	}
	if len(d.Unchanged) > 0 {
		t.say(PhaseAttempt, d.Node, Warning, "    %snot changed, although the plan says so: %s", of(d.Part), inert.Text(strings.Join(d.Unchanged, ", ")))
	}
	if len(d.Unplanned) > 0 {
		t.say(PhaseAttempt, d.Node, Warning, "    %schanged, although the plan does not say so: %s", of(d.Part), inert.Text(strings.Join(d.Unplanned, ", ")))
	}
}

func (d Learned) print(t *Teller) {
	if n := len(d.Patterns); n > 0 {
		t.say(PhaseAttempt, "", Info, "    %smemory: %s judged by this attempt; see forge memory list", of(d.Part), Count(n, "pattern"))
	}
}

// print prints the figures of an attempt that was rejected: the gates have reported an accepted one.
func (a AttemptJudged) print(t *Teller) {
	if a.Recommendation == "PASS" {
		return
	}
	severity, text := Warning, fmt.Sprintf("    %sattempt %d of %d: %d of %d checks hold", of(a.Part), a.Attempt, a.Of, a.Passed, a.Total)
	if a.Stagnation != "" {
		severity = Error
		text += ", no progress: " + inert.Text(a.Stagnation)
	}
	t.say(PhaseAttempt, "", severity, "%s", text)
}

func (d Diagnosed) print(t *Teller) {
	if d.Class != "" {
		t.say(PhaseAttempt, "", Warning, "    %soverseer: %s%s", of(d.Part), inert.Text(strings.ReplaceAll(d.Class, "_", " ")), Because(d.Reason))
	}
	if d.RootCause != "" {
		t.say(PhaseAttempt, "", Info, "    %sdebugger: %s; next: %s", of(d.Part), inert.Text(d.RootCause), inert.Text(d.Strategy))
	}
	if d.Reproduced != "" {
		t.say(PhaseAttempt, "", Info, "    %sreproduced with: %s", of(d.Part), inert.Text(d.Reproduced))
	}
	if len(d.MustRead) > 0 {
		t.say(PhaseAttempt, "", Info, "    %sreads %s", of(d.Part), inert.Text(strings.Join(d.MustRead, ", ")))
	}
}

// likely is the lowest confidence at which the kind of work is printed: a guess that is more often wrong than right does not help
// the user.
const likely = 0.5

// kind returns the likely kind of work of a run.
func kind(c Class) string {
	if c.Kind == "" || c.Confidence < likely {
		return ""
	}
	return " · " + inert.Text(c.Kind)
}

func (w ModelWarming) print(t *Teller) {
	t.say(PhaseModel, w.Node, Info, "    model: loading %s", inert.Text(w.Model))
}

func (c ModelCalled) print(t *Teller) {
	t.injected(c)
	used := c.Input + c.Output + c.CacheRead + c.CacheWrite
	switch {
	case c.Again > 0:
		t.say(PhaseModel, c.Node, Warning, "    model: retry in %s%s", c.Again.Round(100*time.Millisecond), Because(c.Failure))
	case c.StandIn != "":
		t.say(PhaseModel, c.Node, Warning, "    model: %s is used instead%s", inert.Text(c.StandIn), Because(c.Failure))
	case used == 0 && c.Failure != "":
		t.say(PhaseModel, c.Node, Error, "    model: no answer") // the node prints the reason next
	case c.Failure != "":
		t.say(PhaseModel, c.Node, Warning, "    model: %s (%s), not usable%s", call(c), t.soFar(), Because(c.Failure))
	case c.Cached:
		t.say(PhaseModel, c.Node, Info, "    model: answered from the cache, without cost")
	default:
		t.say(PhaseModel, c.Node, Info, "    model: %s, %s (%s)", call(c), c.Elapsed.Round(time.Millisecond), t.soFar())
	}
}

// injected prints which parts of a request read as if they instructed a model: each once.
func (t *Teller) injected(c ModelCalled) {
	for _, part := range c.Manifest.Parts {
		origin := cmp.Or(part.Source, part.Name)
		if key := origin + ": " + part.Injected; part.Injected != "" && !t.warned[key] {
			t.warned[key] = true
			t.say(PhaseModel, c.Node, Warning, "    model: %s has text that reads like instructions to a model (%q); it is data, but check the result",
				inert.Text(origin), inert.Text(part.Injected))
		}
	}
}

// print prints the batch of a call, once it is known, and its failures.
func (w BatchWaiting) print(t *Teller) {
	switch {
	case w.Trouble != "":
		t.say(PhaseModel, w.Node, Warning, "    model: batch %s at %s: Forge will poll again%s", inert.Text(w.Batch), inert.Text(w.Provider), Because(w.Trouble))
	case w.State == "gathered":
		t.say(PhaseModel, w.Node, Info, "    model: %s answers by batch, within a day", inert.Text(w.Provider))
	case w.State == "submitted":
		t.say(PhaseModel, w.Node, Info, "    model: waiting for batch %s at %s, %s; you can stop here and resume the run later",
			inert.Text(w.Batch), inert.Text(w.Provider), Count(w.Items, "request"))
	}
}

func (u ToolUsed) print(t *Teller) {
	failed := ""
	switch {
	case u.Refused != "":
		t.say(PhaseModel, u.Node, Warning, "    %s %s was refused (%s): %s", inert.Text(u.Tool), inert.Text(u.Args), u.Refused, inert.Text(u.Reason))
		return
	case u.Failed:
		failed = ", failed"
	}
	t.say(PhaseModel, u.Node, Info, "    %s %s%s", inert.Text(u.Tool), inert.Text(u.Args), failed)
}

func (e ErrandReported) print(t *Teller) {
	switch e.State {
	case ErrandRunning:
		t.say(PhaseModel, e.Node, Info, "    %s: the agent %s, with at most %s: %s", e.ID, inert.Text(e.Agent), Count(e.Rounds, "answer"), strings.Join(strings.Fields(inert.Text(e.Task)), " "))
	case ErrandDone:
		t.say(PhaseModel, e.Node, Info, "    %s: done, with %s", e.ID, Count(e.Tokens, "token"))
	case ErrandFailed:
		t.say(PhaseModel, e.Node, Error, "    %s: failed, with %s", e.ID, Count(e.Tokens, "token")) // the reason is that of the node
	}
}

func (w ModelWarmed) print(t *Teller) {
	if w.Failure != "" {
		t.say(PhaseModel, w.Node, Warning, "    model: %s is not loaded; it is called anyway%s", inert.Text(w.Model), Because(w.Failure))
		return
	}
	t.say(PhaseModel, w.Node, Info, "    model: loaded in %s", w.Elapsed.Round(100*time.Millisecond))
}

// call returns the tokens of one call: 1200 → 300 tokens, 800 of them cached.
func call(c ModelCalled) string {
	text := fmt.Sprintf("%d → %d tokens", c.Input+c.CacheRead+c.CacheWrite, c.Output)
	if c.CacheRead > 0 {
		text += fmt.Sprintf(", %d from the provider's cache", c.CacheRead)
	}
	return text
}

// soFar returns the tokens and costs of the run.
func (t *Teller) soFar() string {
	if !t.now.Charged {
		return fmt.Sprintf("%d so far", t.now.Spent.Tokens)
	}
	return fmt.Sprintf("%d so far, %s", t.now.Spent.Tokens, t.now.Spent.Cost)
}

func (p Planned) print(t *Teller) {
	if p.Degraded != "" {
		t.say(PhaseRun, "", Warning, "plan: degraded: the task is one part, because the planner gave no plan that can be used: %s", inert.Text(p.Degraded))
		return
	}
	tiers := 0
	for _, part := range p.Parts {
		tiers = max(tiers, part.Tier)
	}
	if p.Revised != "" {
		t.say(PhaseRun, "", Info, "the plan is revised, and what is done is kept: %s", inert.Text(p.Revised))
	}
	corrected := ""
	if p.Earlier > 0 {
		corrected = fmt.Sprintf(" (%d by its size, corrected by %s)", p.Uncorrected, Count(p.Earlier, "earlier plan"))
	}
	t.say(PhaseRun, "", Info, "plan: %s in %s, about %s%s", Count(len(p.Parts), "part"), Count(tiers, "tier"), Count(p.Minutes, "minute"), corrected)
	for _, risk := range p.Risks {
		t.say(PhaseRun, "", Warning, "    known risk: %s", inert.Text(risk))
	}
	for _, part := range p.Parts {
		t.part(part)
	}
	for _, note := range p.Notes {
		t.say(PhaseRun, "", Warning, "    %s", inert.Text(note))
	}
}

// part prints a part of a plan with all that the user consents to.
func (t *Teller) part(p PlannedPart) {
	var text strings.Builder
	fmt.Fprintf(&text, "    %d  %-12s %s (%s)", p.Tier, p.ID, p.Title, strings.Join(p.Files, ", "))
	if p.Risk != "" {
		text.WriteString(", risk " + p.Risk)
	}
	if len(p.DependsOn) > 0 {
		text.WriteString(", after " + strings.Join(p.DependsOn, ", "))
	}
	for _, line := range strings.Split(strings.TrimSpace(p.Objective), "\n") {
		text.WriteString("\n                    " + strings.TrimSpace(line))
	}
	for _, v := range p.Verify {
		text.WriteString("\n                    - " + strings.TrimSpace(v))
	}
	if p.DoneWhen != "" {
		text.WriteString("\n                    done when: " + strings.TrimSpace(p.DoneWhen))
	}
	t.say(PhaseRun, "", Info, "%s", strings.TrimRight(inert.Text(text.String()), " \n"))
}

// of returns the name of a line's part as a prefix: "two: ".
func of(part string) string {
	if part == "" {
		return ""
	}
	return inert.Text(part) + ": "
}

func (d SpecKept) print(t *Teller) {
	t.say(PhaseRun, "", Info, "specification: version %d: %s", d.Version, inert.Text(d.Changelog))
}

// print prints a reviewer's findings: its warnings too, if it accepts the change.
func (e Reviewed) print(t *Teller) {
	r := e.Report
	severity, mild := verdictSeverities[r.Verdict]
	if !mild {
		severity = Error
	}
	t.say(PhaseGate, e.Node, severity, "    %s %-9s %s", verdictMarks[r.Verdict], r.Gate, inert.Text(r.Summary))
	for i, f := range r.Findings {
		line := issue(f)
		t.told[line] = true
		if i < maxShown {
			t.say(PhaseGate, e.Node, severity, "        %s", inert.Text(line))
		}
	}
	if n := len(r.Findings) - maxShown; n > 0 {
		t.say(PhaseGate, e.Node, severity, "        … and %d more", n)
	}
	if r.Output != "" {
		t.say(PhaseGate, e.Node, Warning, "        %s", inert.Text(r.Output))
	}
}

// issue returns a reviewer's finding as it is in the reason of a node.
func issue(f gate.Finding) string {
	severity := "warning"
	if f.Severity == gate.SeverityError {
		severity = "error"
	}
	return fmt.Sprintf("%s:%d: %s: %s", f.Path, f.Line, severity, strings.TrimSpace(f.Message))
}
