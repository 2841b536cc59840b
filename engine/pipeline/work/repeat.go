package work

import (
	"fmt"
	"slices"

	"forge/engine/gate"
	"forge/engine/graph"
	"forge/patch"
)

// An edit that an earlier attempt made is not rejected for that: the failure may have been a flaky test, or a fault of the folder.
// It is judged again, without a model: what objected to it (judge.Checker). If it fails again the attempts end, so that none is billed a third time.

// noteRepeat records that the attempt repeats an edit, or a result, of a rejected attempt.
func (h *History) noteRepeat(t Verdict) { h.now.Repeat(t.Attempt, false) }

// CheckRepeat checks whether an edit is one of an earlier attempt.
func (h *History) CheckRepeat(changes patch.ChangeSet) {
	if len(changes.Files) == 0 {
		return // other checks decide whether that is work
	}
	h.now.Repeat(0, false) // a repair replaces the edit before it
	digest := h.now.Fingerprint(changes)
	for _, t := range slices.Backward(h.Verdicts) {
		if t.charged() && slices.ContainsFunc(t.Edits, func(e Edited) bool { return e.Digest == digest }) {
			h.noteRepeat(t)
			return
		}
	}
}

// NoteResult keeps the result of the attempt, and checks whether it is that of an earlier one.
func (h *History) NoteResult(changes patch.ChangeSet) {
	h.now.Resulted = resultOf(changes)
	for _, t := range slices.Backward(h.Verdicts) {
		if t.Result == h.now.Resulted && t.charged() {
			h.noteRepeat(t)
			return
		}
	}
}

// Refusal is an unusable answer of a phase.
type Refusal struct {
	Attempt int
	Phase   string
	Digest  string // of the resulting tree; of the text and the tree, if no edit could be resolved
}

// EndRepeat returns the outcome of an attempt that fails like the one that it repeats. If the user resumed the run, it continues
// nevertheless.
func (h *History) EndRepeat(n graph.Node, reason string) (o graph.Outcome, ends bool) {
	if h.now.repeats == 0 || h.run.Retried(n) > 0 || h.JudgedBy(n.Attempt) > 0 {
		return o, false
	}
	h.Decide()
	what := "makes the change of attempt %d again, and it fails again"
	if h.now.unusable {
		what = "gives the answer of attempt %d again, which could not be used"
	}
	return graph.Outcome{Status: graph.Blocked, Reason: fmt.Sprintf("Blocked: attempt %d "+what+": %s. "+
		"Say more about what is wanted, or choose another model", n.Attempt, h.now.repeats, reason)}, true
}

// RefusedBefore returns the reviewer's objection to the same change in an earlier attempt that the gates accepted; empty if the
// reviewer has not seen it.
func (h *History) RefusedBefore() string {
	if d := h.DraftOf(h.now.repeats); h.now.repeats > 0 && d != nil && gate.Open(d.Checked) && resultOf(d.Changes) == resultOf(h.now.Changes) {
		return d.Refused
	}
	return ""
}

// resultOf identifies a change as a whole.
func resultOf(changes patch.ChangeSet) string {
	return (&Attempt{}).Fingerprint(changes)
}
