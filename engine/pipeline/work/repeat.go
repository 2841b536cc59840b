package work

import (
	"fmt"
	"slices"

	"forge/engine/gate"
	"forge/engine/graph"
	"forge/patch"
)

// An edit that an earlier attempt made is no reason to refuse it: what failed may have been a flaky test, or the folder's own fault. It is
// judged again, which costs no model; where it fails again the attempts end, so that none is paid for a third time.

// noteRepeat notes that the attempt makes an edit, or has a result, that an earlier attempt was not accepted with.
func (h *History) noteRepeat(t Verdict) { h.now.Repeat(t.Attempt, false) }

// CheckRepeat looks whether an edit is one of an earlier attempt.
func (h *History) CheckRepeat(changes patch.ChangeSet) {
	if len(changes.Files) == 0 {
		return // whether that is work is for others to say
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

// NoteResult keeps the result of the attempt, and looks whether that is the result of an earlier one.
func (h *History) NoteResult(changes patch.ChangeSet) {
	h.now.Resulted = resultOf(changes)
	for _, t := range slices.Backward(h.Verdicts) {
		if t.Result == h.now.Resulted && t.charged() {
			h.noteRepeat(t)
			return
		}
	}
}

// Refusal is an answer of a phase that could not be used.
type Refusal struct {
	Attempt int
	Phase   string
	Digest  string // of what the tree would have become; of the text and the tree, where no edit could be made out
}

// EndRepeat is the outcome of an attempt that fails as the attempt did that it repeats. A user who has the run resumed has it tried all the
// same.
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

// RefusedBefore is what the reviewer said of the same change in an earlier attempt, where gates had nothing against it; empty where the
// reviewer has not seen it.
func (h *History) RefusedBefore() string {
	if d := h.DraftOf(h.now.repeats); h.now.repeats > 0 && d != nil && gate.Open(d.Checked) && resultOf(d.Changes) == resultOf(h.now.Changes) {
		return d.Refused
	}
	return ""
}

// resultOf names a change as a whole.
func resultOf(changes patch.ChangeSet) string {
	return (&Attempt{}).Fingerprint(changes)
}
