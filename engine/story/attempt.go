package story

import (
	"fmt"
	"strings"

	"forge/engine/event"
	"forge/internal/inert"
)

// attempt tells how an attempt came out, what is made of it, and what memory has learned.
func (t *Teller) attempt(d event.Data) {
	switch d := d.(type) {
	case event.TaskClassified:
		t.say(Run, "", Info, "    taken for%s", strings.TrimPrefix(kind(d.Class), " ·"))
	case event.AttemptJudged:
		t.judged(d)
	case event.Diagnosed:
		t.diagnosed(d)
	case event.Learned:
		for _, p := range d.Patterns {
			t.say(Attempt, "", Info, "    learned: %s %s (%d held, %d did not; confidence %.2f)",
				strings.ReplaceAll(p.Category, "_", " "), inert.Text(p.Text), p.Successes, p.Failures, p.Confidence)
		}
	}
}

// judged tells the figures of an attempt that was not the end of it: of one that was accepted the gates have told.
func (t *Teller) judged(a event.AttemptJudged) {
	if a.Recommendation == "PASS" {
		return
	}
	severity, text := Warning, fmt.Sprintf("    attempt %d of %d: %d of %d checks hold (score %.2f", a.Attempt, a.Of, a.Passed, a.Total, a.Score)
	if a.Velocity != 0 {
		text += fmt.Sprintf(", %+.2f per attempt", a.Velocity)
	}
	text += ")"
	if a.Stagnation != "" {
		severity = Error
		text += ", no nearer: " + inert.Text(a.Stagnation)
	}
	t.say(Attempt, "", severity, "%s", text)
}

// diagnosed tells what is made of a failure, where anything is.
func (t *Teller) diagnosed(d event.Diagnosed) {
	if d.Class != "" {
		t.say(Attempt, "", Warning, "    overseer: %s%s", inert.Text(strings.ReplaceAll(d.Class, "_", " ")), Because(d.Reason))
	}
	if d.RootCause != "" {
		t.say(Attempt, "", Info, "    debugger: %s; next: %s", inert.Text(d.RootCause), inert.Text(d.Strategy))
	}
	if len(d.MustRead) > 0 {
		t.say(Attempt, "", Info, "    reads %s", inert.Text(strings.Join(d.MustRead, ", ")))
	}
}

// kind says what kind of work a run is taken for.
func kind(c event.Class) string {
	if c.Kind == "" {
		return ""
	}
	return fmt.Sprintf(" · %s (%.2f)", inert.Text(c.Kind), c.Confidence)
}
