package event

import (
	"fmt"
	"strings"

	"forge/internal/inert"
)

// attempt prints the result of an attempt, its diagnosis, and what memory has learned.
func (t *Teller) attempt(d Data) {
	switch d := d.(type) {
	case TaskClassified:
		if d.Class.Kind != "" {
			t.say(PhaseRun, "", Info, "    taken for: %s", inert.Text(d.Class.Kind))
		}
	case WorkReported:
		for _, c := range d.Concerns {
			t.say(PhaseAttempt, d.Node, Warning, "    %snot sure: %s", of(d.Part), inert.Text(c))
		}
	case AttemptJudged:
		t.judged(d)
	case Diagnosed:
		t.diagnosed(d)
	case Learned:
		if n := len(d.Patterns); n > 0 {
			t.say(PhaseAttempt, "", Info, "    %smemory: %s judged by this attempt; forge memory list shows them", of(d.Part), count(n, "pattern"))
		}
	}
}

// judged prints the figures of an attempt that was rejected: the gates have reported an accepted one.
func (t *Teller) judged(a AttemptJudged) {
	if a.Recommendation == "PASS" {
		return
	}
	severity, text := Warning, fmt.Sprintf("    %sattempt %d of %d: %d of %d checks hold", of(a.Part), a.Attempt, a.Of, a.Passed, a.Total)
	if a.Stagnation != "" {
		severity = Error
		text += ", no nearer: " + inert.Text(a.Stagnation)
	}
	t.say(PhaseAttempt, "", severity, "%s", text)
}

// diagnosed prints the diagnosis of a failure, if there is one.
func (t *Teller) diagnosed(d Diagnosed) {
	if d.Class != "" {
		t.say(PhaseAttempt, "", Warning, "    %soverseer: %s%s", of(d.Part), inert.Text(strings.ReplaceAll(d.Class, "_", " ")), Because(d.Reason))
	}
	if d.RootCause != "" {
		t.say(PhaseAttempt, "", Info, "    %sdebugger: %s; next: %s", of(d.Part), inert.Text(d.RootCause), inert.Text(d.Strategy))
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
