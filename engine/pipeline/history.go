package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/overseer"
	"forge/engine/step"
	"forge/patch"
)

// history is all attempts of a module so far, in order. Executor and review write it; it is read before the next attempt.
type history struct {
	run    *run
	job    *job
	now    *attempt
	tested *tested

	tries    []try     // that were judged
	drafts   []draft   // what attempts have made
	refusals []refusal // answers that could not be used, of all attempts
	moved    string    // the snapshot that attempts begin with since the run was resumed; empty is that of the run
	usedUp   bool      // there are no attempts left
	decided  bool      // the module ended by what was said of its attempts, and not because something could not be done
	wanting  string    // what a model said it was missing, where the user gave no answer; empty otherwise
}

// try is an attempt that was judged.
type try struct {
	attempt int
	reason  string        // why it was not accepted; empty where it was
	reports []gate.Report // what gates said of it; where none was asked, what was wrong with it in the form of one
	tree    step.State    // as it was left
	edits   []edited
	result  string // a digest of the change; empty where there was none that gates could check
	outcome overseer.Attempt
}

// charged reports whether the attempt is to blame for how it came out: a gate that broke may find nothing wrong the next time.
func (t try) charged() bool {
	return slices.ContainsFunc(t.reports, func(r gate.Report) bool { return r.Verdict == gate.Fail })
}

// edited is an edit of an attempt.
type edited struct {
	digest string   // the same edit on the same tests is the same digest
	paths  []string // that it changes
}

// lastTry is the latest attempt; the zero try where there was none.
func (h *history) lastTry() try {
	if len(h.tries) == 0 {
		return try{}
	}
	return h.tries[len(h.tries)-1]
}

// assess judges all attempts so far.
func (h *history) assess() overseer.Assessment {
	return overseer.Assess(h.outcomes(len(h.tries)))
}

// outcomes are how the first n attempts came out.
func (h *history) outcomes(n int) []overseer.Attempt {
	all := make([]overseer.Attempt, n)
	for i := range n {
		all[i] = h.tries[i].outcome
	}
	return all
}

// created are the files that attempts have created: who wrote a file need not read it, and the next attempt begins without it.
func (h *history) created() (paths []string) {
	for _, t := range h.tries {
		for _, set := range t.tree.Changes {
			for _, f := range set.Files {
				if f.Kind == patch.Create {
					paths = merge(paths, []string{f.Path})
				}
			}
		}
	}
	return paths
}

// history is a line for each attempt: what it changed, and how it came out.
func (h *history) told() string {
	var text strings.Builder
	for _, t := range h.tries {
		var paths []string
		for _, e := range t.edits {
			paths = merge(paths, e.paths)
		}
		fmt.Fprintf(&text, "Attempt %d changed %s: %d of %d checks held; what failed:\n", t.attempt, strings.Join(paths, ", "), t.outcome.Passed, t.outcome.Total)
		for i, id := range t.outcome.Failures {
			if i == maxFindings {
				fmt.Fprintf(&text, "  … and %d more\n", len(t.outcome.Failures)-i)
				break
			}
			text.WriteString("  " + clip(id) + "\n")
		}
	}
	return strings.TrimRight(text.String(), "\n")
}

// start forgets how the attempt before ended.
func (h *history) start() { h.decided, h.wanting = false, "" }

// decide notes that the module ends by what was said of its attempts.
func (h *history) decide() { h.decided = true }

// want notes what a model is missing, and that the user did not give it.
func (h *history) want(missing string) { h.wanting, h.decided = missing, true }

// useUp notes that no attempts are left.
func (h *history) useUp() { h.usedUp = true }

// judged is which retry has the module's best draft judged in an attempt, from 1; 0 where none does.
func (h *history) judgedBy(attempt int) int {
	place := step.Place{Node: h.job.node(nodeExecutor), Attempt: attempt}
	at := slices.IndexFunc(h.run.Retries, func(r Retry) bool { return slices.Contains(r.Judge, place) })
	if h.bestBefore(attempt) == nil {
		return 0
	}
	return at + 1
}

// newBase is the snapshot of the user's files as they were when the run was resumed to judge an attempt; empty where there is none.
func (h *history) newBase(attempt int) string {
	if by := h.judgedBy(attempt); by > 0 && by <= len(h.run.Again) {
		return h.run.Again[by-1]
	}
	return ""
}

// bestBefore is the best draft of the attempts before one; nil where there is none.
func (h *history) bestBefore(attempt int) *draft {
	earlier := history{drafts: slices.DeleteFunc(slices.Clone(h.drafts), func(d draft) bool { return d.attempt >= attempt })}
	return earlier.best()
}

// resumedAt reports whether an attempt is the first that asks a model after the run was resumed.
func (h *history) resumedAt(attempt int) bool {
	return attempt > 1 && (attempt > h.run.limit(attempt-1) || h.judgedBy(attempt-1) > 0)
}

// touched are the files that the attempt changes.
func (h *history) touched() (paths []string) {
	for _, t := range h.lastTry().edits {
		paths = merge(paths, t.paths)
	}
	return paths
}

// accepted reports whether the latest attempt was accepted.
func (h *history) accepted() bool { return len(h.tries) > 0 && h.lastTry().reason == "" }

// best is the draft that was accepted, else the one with the most checks that pass, of several the latest; nil where no attempt made one
// whose files can be parsed.
func (h *history) best() *draft {
	if h.accepted() {
		return h.draftOf(h.lastTry().attempt)
	}
	var best *draft
	for i := range h.drafts {
		d := &h.drafts[i]
		if !d.broken && (best == nil || d.passed() >= best.passed()) {
			best = d
		}
	}
	return best
}

// draftOf is what an attempt has made; nil where it made nothing.
func (h *history) draftOf(attempt int) *draft {
	at := slices.IndexFunc(h.drafts, func(d draft) bool { return d.attempt == attempt })
	if at < 0 {
		return nil
	}
	return &h.drafts[at]
}

// keepDraft keeps what the attempt has made.
func (h *history) keepDraft(changes patch.ChangeSet) {
	h.drafts = append(h.drafts, draft{attempt: h.now.number, tree: h.now.tree, changes: changes, broken: h.now.unparsed, tests: h.tested.tests, red: h.tested.red})
}

// closeDraft notes why the attempt that is under way was not accepted.
func (h *history) closeDraft(reason string, reports []gate.Report) {
	d := h.draftOf(h.now.number)
	if d == nil {
		return
	}
	d.reason = reason
	for _, r := range reports {
		if r.Gate != nodeReview {
			continue
		}
		d.refused = r.Summary
		if len(r.Findings) > 0 {
			d.refused = strings.TrimSpace(d.refused + " " + r.Findings[0].String())
		}
	}
}

// goOn takes back that the module has ended: another attempt begins.
func (h *history) goOn() { h.decided = false }

// add adds an attempt that was judged.
func (h *history) add(t try) { h.tries = append(h.tries, t) }

// addRefusal adds an answer that could not be used.
func (h *history) addRefusal(r refusal) { h.refusals = append(h.refusals, r) }
