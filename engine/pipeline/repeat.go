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
	run      *run
	node     graph.Node
	sentBack bool
	ended    string // why the run ends; empty where it does not
}

// watch begins to watch over an edit of an attempt.
func (r *run) watch(n graph.Node) *repeats { return &repeats{run: r, node: n} }

// check refuses an edit that is one that failed, the first time.
func (w *repeats) check(changes patch.ChangeSet) error {
	failed, found := w.run.failedWith(changes)
	switch {
	case !found:
		w.ended = ""
		return nil
	case !w.sentBack:
		w.sentBack = true
		return errors.New("this is the edit of attempt " + fmt.Sprint(failed.attempt) + " again, which was not accepted: " + failed.reason + "\nDo something else")
	case w.run.retried(w.node) == 0:
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
func (r *run) failedWith(changes patch.ChangeSet) (try, bool) {
	digest := r.digest(changes)
	for _, t := range slices.Backward(r.tries) {
		if t.charged() && slices.ContainsFunc(t.edits, func(e edited) bool { return e.digest == digest }) {
			return t, true
		}
	}
	return try{}, false
}
