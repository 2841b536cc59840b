package pipeline

import (
	"errors"
	"fmt"
	"slices"

	"forge/engine/graph"
	"forge/engine/step"
	"forge/patch"
)

// repeats watches over one edit of an attempt: one that failed before is sent back once, and when it comes again the run ends, so that no
// attempt is wasted on it. That also ends two edits that alternate.
type repeats struct {
	module   *module
	node     graph.Node
	sentBack bool
	ended    string // why the run ends; empty where it does not
}

// watch begins to watch over an edit of an attempt.
func (m *module) watch(n graph.Node) *repeats { return &repeats{module: m, node: n} }

// check refuses an edit that is one that failed, the first time.
func (w *repeats) check(changes patch.ChangeSet) error {
	if len(changes.Files) == 0 {
		return nil // whether that is work is for others to say
	}
	failed, found := w.module.failedWith(changes)
	switch {
	case !found:
		w.ended = ""
		return nil
	case !w.sentBack:
		w.sentBack = true
		return errors.New("this is the edit of attempt " + fmt.Sprint(failed.attempt) + " again, which was not accepted: " + failed.reason + "\nDo something else")
	case w.module.retried(w.node) == 0:
		w.ended = fmt.Sprintf("Blocked: the model makes the edit of attempt %d again, which fails, also when it is told so: %s. "+
			"Say more about what is wanted, or choose another model", failed.attempt, failed.reason)
	}
	return nil
}

// outcome is that of the step in which the edit was asked for.
func (w *repeats) outcome(o step.Outcome) step.Outcome {
	if o.Signal == step.Success && w.ended != "" {
		return step.Outcome{Signal: step.NeedsHuman, Reason: w.ended}
	}
	return o
}

// failedWith finds the attempt that made this edit and was to blame for how it came out.
func (m *module) failedWith(changes patch.ChangeSet) (try, bool) {
	digest := m.fingerprint(changes)
	for _, t := range slices.Backward(m.tries) {
		if t.charged() && slices.ContainsFunc(t.edits, func(e edited) bool { return e.digest == digest }) {
			return t, true
		}
	}
	return try{}, false
}

// newResult refuses what an attempt came to when it is what a failed one came to: the gates would say the same. The first time that is an
// attempt's fault, after that the run ends.
func (m *module) newResult(n graph.Node, changes patch.ChangeSet) step.Outcome {
	result := resultOf(changes)
	for _, t := range slices.Backward(m.tries) {
		if t.result != result || !t.charged() || m.retried(n) > 0 {
			continue
		}
		reason := fmt.Sprintf("the change is that of attempt %d again, which was not accepted: %s", t.attempt, t.reason)
		if m.repeated {
			return step.Outcome{Signal: step.NeedsHuman, Reason: "Blocked: " + reason + ". Say more about what is wanted, or choose another model"}
		}
		m.repeated = true
		return step.Outcome{Signal: step.Retryable, Reason: reason}
	}
	m.resulted = result
	return step.Outcome{}
}

// resultOf names a change as a whole.
func resultOf(changes patch.ChangeSet) string {
	return (&module{}).fingerprint(changes)
}
