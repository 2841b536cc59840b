package event

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"forge/engine/gate"
	"forge/internal/inert"
)

func (d TaskClassified) format(out *Formatter) {
	switch {
	case d.Recipe != "" && d.Class.Kind != "":
		out.say(PhaseRun, "", Info, "    taken for: %s (recipe %s; another one: --recipe)", inert.Text(d.Class.Kind), inert.Text(d.Recipe))
	case d.Class.Kind != "":
		out.say(PhaseRun, "", Info, "    taken for: %s", inert.Text(d.Class.Kind))
	}
}

func (d WorkReported) format(out *Formatter) {
	for _, c := range d.Concerns {
		out.say(PhaseAttempt, d.Node, Warning, "    %snot sure: %s", of(d.Part), inert.Text(c))
	}
	if len(d.Unchanged) > 0 {
		out.say(PhaseAttempt, d.Node, Warning, "    %snot changed, although the plan says so: %s", of(d.Part), inert.Text(strings.Join(d.Unchanged, ", ")))
	}
	if len(d.Unplanned) > 0 {
		out.say(PhaseAttempt, d.Node, Warning, "    %schanged, although the plan does not say so: %s", of(d.Part), inert.Text(strings.Join(d.Unplanned, ", ")))
	}
}

func (d Learned) format(out *Formatter) {
	if n := len(d.Patterns); n > 0 {
		out.say(PhaseAttempt, "", Info, "    %smemory: %s judged by this attempt; see forge memory list", of(d.Part), Count(n, "pattern"))
	}
}

// print prints the figures of an attempt that was rejected: the gates have reported an accepted one.
func (a AttemptJudged) format(out *Formatter) {
	if a.Recommendation == "PASS" {
		return
	}
	severity, text := Warning, fmt.Sprintf("    %sattempt %d of %d: %d of %d checks hold", of(a.Part), a.Attempt, a.Of, a.Passed, a.Total)
	if a.Stagnation != "" {
		severity = Error
		text += ", no progress: " + inert.Text(a.Stagnation)
	}
	out.say(PhaseAttempt, "", severity, "%s", text)
}

func (d Diagnosed) format(out *Formatter) {
	if d.Class != "" {
		out.say(PhaseAttempt, "", Warning, "    %soverseer: %s%s", of(d.Part), inert.Text(strings.ReplaceAll(d.Class, "_", " ")), Because(d.Reason))
	}
	if d.RootCause != "" {
		out.say(PhaseAttempt, "", Info, "    %sdebugger: %s; next: %s", of(d.Part), inert.Text(d.RootCause), inert.Text(d.Strategy))
	}
	if d.Reproduced != "" {
		out.say(PhaseAttempt, "", Info, "    %sreproduced with: %s", of(d.Part), inert.Text(d.Reproduced))
	}
	if len(d.MustRead) > 0 {
		out.say(PhaseAttempt, "", Info, "    %sreads %s", of(d.Part), inert.Text(strings.Join(d.MustRead, ", ")))
	}
}

// likely is the lowest confidence at which the kind of work is printed: below it, the run does not follow the guess.
const likely = 0.55

// kind returns the likely kind of work of a run.
func kind(c Class) string {
	if c.Kind == "" || c.Confidence < likely {
		return ""
	}
	return " · " + inert.Text(c.Kind)
}

func (w ModelWarming) format(out *Formatter) {
	out.say(PhaseModel, w.Node, Info, "    model: loading %s", inert.Text(w.Model))
}

func (c ModelCalled) format(out *Formatter) {
	out.injected(c)
	used := c.Input + c.Output + c.CacheRead + c.CacheWrite
	switch {
	case c.Again > 0:
		out.say(PhaseModel, c.Node, Warning, "    model: retry in %s%s", c.Again.Round(100*time.Millisecond), Because(c.Failure))
	case c.StandIn != "":
		out.say(PhaseModel, c.Node, Warning, "    model: %s is used instead%s", inert.Text(c.StandIn), Because(c.Failure))
	case used == 0 && c.Failure != "":
		out.say(PhaseModel, c.Node, Error, "    model: no answer") // the node prints the reason next
	case c.Failure != "":
		out.say(PhaseModel, c.Node, Warning, "    model: %s (%s), not usable%s", call(c), out.soFar(), Because(c.Failure))
	case c.Cached:
		out.say(PhaseModel, c.Node, Info, "    model: answered from the cache, without cost")
	default:
		out.say(PhaseModel, c.Node, Info, "    model: %s, %s (%s)", call(c), c.Elapsed.Round(time.Millisecond), out.soFar())
	}
}

// injected prints which parts of a request read as if they instructed a model: each once.
func (out *Formatter) injected(c ModelCalled) {
	for _, part := range c.Manifest.Parts {
		origin := cmp.Or(part.Source, part.Name)
		if key := origin + ": " + part.Injected; part.Injected != "" && !out.warned[key] {
			out.warned[key] = true
			out.say(PhaseModel, c.Node, Warning, "    model: %s has text that reads like instructions to a model (%q); it is data, but check the result",
				inert.Text(origin), inert.Text(part.Injected))
		}
	}
}

// print prints the batch of a call, once it is known, and its failures.
func (w BatchWaiting) format(out *Formatter) {
	switch {
	case w.Trouble != "":
		out.say(PhaseModel, w.Node, Warning, "    model: batch %s at %s: Forge will poll again%s", inert.Text(w.Batch), inert.Text(w.Provider), Because(w.Trouble))
	case w.State == "gathered":
		out.say(PhaseModel, w.Node, Info, "    model: %s answers by batch, within a day", inert.Text(w.Provider))
	case w.State == "submitted":
		out.say(PhaseModel, w.Node, Info, "    model: waiting for batch %s at %s, %s; you can stop here and resume the run later",
			inert.Text(w.Batch), inert.Text(w.Provider), Count(w.Items, "request"))
	}
}

func (u ToolUsed) format(out *Formatter) {
	failed := ""
	switch {
	case u.Refused != "":
		out.say(PhaseModel, u.Node, Warning, "    %s %s was refused (%s): %s", inert.Text(u.Tool), inert.Text(u.Args), u.Refused, inert.Text(u.Reason))
		return
	case u.Failed:
		failed = ", failed"
	}
	out.say(PhaseModel, u.Node, Info, "    %s %s%s", inert.Text(u.Tool), inert.Text(u.Args), failed)
}

func (e ErrandReported) format(out *Formatter) {
	switch e.State {
	case ErrandRunning:
		out.say(PhaseModel, e.Node, Info, "    %s: the agent %s, with at most %s: %s", e.ID, inert.Text(e.Agent), Count(e.Rounds, "answer"), strings.Join(strings.Fields(inert.Text(e.Task)), " "))
	case ErrandDone:
		out.say(PhaseModel, e.Node, Info, "    %s: done, with %s", e.ID, Count(e.Tokens, "token"))
	case ErrandFailed:
		out.say(PhaseModel, e.Node, Error, "    %s: failed, with %s", e.ID, Count(e.Tokens, "token")) // the reason is that of the node
	}
}

func (w ModelWarmed) format(out *Formatter) {
	if w.Failure != "" {
		out.say(PhaseModel, w.Node, Warning, "    model: %s is not loaded; it is called anyway%s", inert.Text(w.Model), Because(w.Failure))
		return
	}
	out.say(PhaseModel, w.Node, Info, "    model: loaded in %s", w.Elapsed.Round(100*time.Millisecond))
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
func (out *Formatter) soFar() string {
	if !out.now.Charged {
		return fmt.Sprintf("%d so far", out.now.Spent.Tokens)
	}
	return fmt.Sprintf("%d so far, %s", out.now.Spent.Tokens, out.now.Spent.Cost)
}

func (p Planned) format(out *Formatter) {
	if p.Degraded != "" {
		out.say(PhaseRun, "", Warning, "plan: degraded: the task is one part, because the planner gave no plan that can be used: %s", inert.Text(p.Degraded))
		return
	}
	tiers := 0
	for _, part := range p.Parts {
		tiers = max(tiers, part.Tier)
	}
	if p.Revised != "" {
		out.say(PhaseRun, "", Info, "the plan is revised, and what is done is kept: %s", inert.Text(p.Revised))
	}
	corrected := ""
	if p.Earlier > 0 {
		corrected = fmt.Sprintf(" (%d by its size, corrected by %s)", p.Uncorrected, Count(p.Earlier, "earlier plan"))
	}
	out.say(PhaseRun, "", Info, "plan: %s in %s, about %s%s", Count(len(p.Parts), "part"), Count(tiers, "tier"), Count(p.Minutes, "minute"), corrected)
	for _, risk := range p.Risks {
		out.say(PhaseRun, "", Warning, "    known risk: %s", inert.Text(risk))
	}
	for _, part := range p.Parts {
		out.part(part)
	}
	for _, note := range p.Notes {
		out.say(PhaseRun, "", Warning, "    %s", inert.Text(note))
	}
}

// part prints a part of a plan with all that the user consents to.
func (out *Formatter) part(p PlannedPart) {
	var text strings.Builder
	fmt.Fprintf(&text, "    %d  %-12s %s (%s)", p.Tier, p.ID, p.Title, strings.Join(p.Files, ", "))
	if p.Risk != "" {
		text.WriteString(", risk " + p.Risk)
	}
	if len(p.DependsOn) > 0 {
		text.WriteString(", after " + strings.Join(p.DependsOn, ", "))
	}
	for line := range strings.SplitSeq(strings.TrimSpace(p.Objective), "\n") {
		text.WriteString("\n                    " + strings.TrimSpace(line))
	}
	for _, v := range p.Verify {
		text.WriteString("\n                    - " + strings.TrimSpace(v))
	}
	if p.DoneWhen != "" {
		text.WriteString("\n                    done when: " + strings.TrimSpace(p.DoneWhen))
	}
	out.say(PhaseRun, "", Info, "%s", strings.TrimRight(inert.Text(text.String()), " \n"))
}

// of returns the name of a line's part as a prefix: "two: ".
func of(part string) string {
	if part == "" {
		return ""
	}
	return inert.Text(part) + ": "
}

func (d SpecKept) format(out *Formatter) {
	out.say(PhaseRun, "", Info, "specification: version %d: %s", d.Version, inert.Text(d.Changelog))
}

// print prints a reviewer's findings: its warnings too, if it accepts the change.
func (e Reviewed) format(out *Formatter) {
	r := e.Report
	severity, mild := verdictSeverities[r.Verdict]
	if !mild {
		severity = Error
	}
	out.say(PhaseGate, e.Node, severity, "    %s %-9s %s", verdictMarks[r.Verdict], r.Gate, inert.Text(r.Summary))
	for i, f := range r.Findings {
		line := issue(f)
		out.said[line] = true
		if i < maxShown {
			out.say(PhaseGate, e.Node, severity, "        %s", inert.Text(line))
		}
	}
	if n := len(r.Findings) - maxShown; n > 0 {
		out.say(PhaseGate, e.Node, severity, "        … and %d more", n)
	}
	if r.Output != "" {
		out.say(PhaseGate, e.Node, Warning, "        %s", inert.Text(r.Output))
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
