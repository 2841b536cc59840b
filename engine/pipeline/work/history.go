package work

import (
	"fmt"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/overseer"
	"forge/engine/step"
	"forge/patch"
)

// History is all attempts of a module so far, in order. Executor and review write it; it is read before the next attempt.
type History struct {
	run    *Run
	job    *Job
	now    *Attempt
	tested *Tests

	Verdicts []Verdict // that were judged
	drafts   []Draft   // what attempts have made
	Refusals []Refusal // answers that could not be used, of all attempts
	Moved    string    // the snapshot that attempts begin with since the run was resumed; empty is that of the run
	UsedUp   bool      // there are no attempts left
	Decided  bool      // the module ended by what was said of its attempts, and not because something could not be done
	Missing  string    // what a model said it was missing, where the user gave no answer; empty otherwise
}

// Verdict is how an attempt was judged, and what it was.
type Verdict struct {
	Attempt int
	Reason  string        // why it was not accepted; empty where it was
	Reports []gate.Report // what gates said of it; where none was asked, what was wrong with it in the form of one
	Tree    step.State    // as it was left
	Edits   []Edited
	Result  string // a digest of the change; empty where there was none that gates could check
	Outcome overseer.Attempt
}

// charged reports whether the attempt is to blame for how it came out: a gate that broke may find nothing wrong the next time.
func (t Verdict) charged() bool {
	return slices.ContainsFunc(t.Reports, func(r gate.Report) bool { return r.Verdict == gate.Fail })
}

// Edited is an edit of an attempt.
type Edited struct {
	Digest string   // the same edit on the same tests is the same digest
	Paths  []string // that it changes
}

// Last is the latest attempt; the zero Verdict where there was none.
func (h *History) Last() Verdict {
	if len(h.Verdicts) == 0 {
		return Verdict{}
	}
	return h.Verdicts[len(h.Verdicts)-1]
}

// Assess judges all attempts so far.
func (h *History) Assess() overseer.Assessment {
	return overseer.Assess(h.Outcomes(len(h.Verdicts)))
}

// Outcomes are how the first n attempts came out.
func (h *History) Outcomes(n int) []overseer.Attempt {
	all := make([]overseer.Attempt, n)
	for i := range n {
		all[i] = h.Verdicts[i].Outcome
	}
	return all
}

// Created are the files that attempts have created: who wrote a file need not read it, and the next attempt begins without it.
func (h *History) Created() (paths []string) {
	for _, t := range h.Verdicts {
		for _, set := range t.Tree.Changes {
			for _, f := range set.Files {
				if f.Kind == patch.Create {
					paths = Union(paths, []string{f.Path})
				}
			}
		}
	}
	return paths
}

// history is a line for each attempt: what it changed, and how it came out.
func (h *History) Summary() string {
	var text strings.Builder
	for _, t := range h.Verdicts {
		var paths []string
		for _, e := range t.Edits {
			paths = Union(paths, e.Paths)
		}
		fmt.Fprintf(&text, "Attempt %d changed %s: %d of %d checks held; what failed:\n", t.Attempt, strings.Join(paths, ", "), t.Outcome.Passed, t.Outcome.Total)
		for i, id := range t.Outcome.Failures {
			if i == MaxFindings {
				fmt.Fprintf(&text, "  … and %d more\n", len(t.Outcome.Failures)-i)
				break
			}
			text.WriteString("  " + Clip(id) + "\n")
		}
	}
	return strings.TrimRight(text.String(), "\n")
}

// Start forgets how the attempt before ended.
func (h *History) Start() { h.Decided, h.Missing = false, "" }

// Decide notes that the module ends by what was said of its attempts.
func (h *History) Decide() { h.Decided = true }

// Lack notes what a model is missing, and that the user did not give it.
func (h *History) Lack(missing string) { h.Missing, h.Decided = missing, true }

// UseUp notes that no attempts are left.
func (h *History) UseUp() { h.UsedUp = true }

// judged is which retry has the module's best draft judged in an attempt, from 1; 0 where none does.
func (h *History) JudgedBy(attempt int) int {
	place := step.Place{Node: h.job.Node(NodeExecutor), Attempt: attempt}
	at := slices.IndexFunc(h.run.Retries, func(r Retry) bool { return slices.Contains(r.Judge, place) })
	if h.BestBefore(attempt) == nil {
		return 0
	}
	return at + 1
}

// NewBase is the snapshot of the user's files as they were when the run was resumed to judge an attempt; empty where there is none.
func (h *History) NewBase(attempt int) string {
	if by := h.JudgedBy(attempt); by > 0 && by <= len(h.run.Again) {
		return h.run.Again[by-1]
	}
	return ""
}

// BestBefore is the best draft of the attempts before one; nil where there is none.
func (h *History) BestBefore(attempt int) *Draft {
	earlier := History{drafts: slices.DeleteFunc(slices.Clone(h.drafts), func(d Draft) bool { return d.Attempt >= attempt })}
	return earlier.Best()
}

// ResumedAt reports whether an attempt is the first that asks a model after the run was resumed.
func (h *History) ResumedAt(attempt int) bool {
	return attempt > 1 && (attempt > h.run.Limit(attempt-1) || h.JudgedBy(attempt-1) > 0)
}

// Touched are the files that the attempt changes.
func (h *History) Touched() (paths []string) {
	for _, t := range h.Last().Edits {
		paths = Union(paths, t.Paths)
	}
	return paths
}

// Accepted reports whether the latest attempt was accepted.
func (h *History) Accepted() bool { return len(h.Verdicts) > 0 && h.Last().Reason == "" }

// Best is the draft that was accepted, else the one with the most checks that pass, of several the latest; nil where no attempt made one
// whose files can be parsed.
func (h *History) Best() *Draft {
	if h.Accepted() {
		return h.DraftOf(h.Last().Attempt)
	}
	var best *Draft
	for i := range h.drafts {
		d := &h.drafts[i]
		if !d.broken && (best == nil || d.passed() >= best.passed()) {
			best = d
		}
	}
	return best
}

// DraftOf is what an attempt has made; nil where it made nothing.
func (h *History) DraftOf(attempt int) *Draft {
	at := slices.IndexFunc(h.drafts, func(d Draft) bool { return d.Attempt == attempt })
	if at < 0 {
		return nil
	}
	return &h.drafts[at]
}

// KeepDraft keeps what the attempt has made.
func (h *History) KeepDraft(changes patch.ChangeSet) {
	h.drafts = append(h.drafts, Draft{Attempt: h.now.Number, tree: h.now.Tree, Changes: changes, broken: h.now.unparsed, tests: h.tested.Written, red: h.tested.Red})
}

// CloseDraft notes why the attempt that is under way was not accepted.
func (h *History) CloseDraft(reason string, reports []gate.Report) {
	d := h.DraftOf(h.now.Number)
	if d == nil {
		return
	}
	d.reason = reason
	for _, r := range reports {
		if r.Gate != NodeReview {
			continue
		}
		d.Refused = r.Summary
		if len(r.Findings) > 0 {
			d.Refused = strings.TrimSpace(d.Refused + " " + r.Findings[0].String())
		}
	}
}

// GoOn takes back that the module has ended: another attempt begins.
func (h *History) GoOn() { h.Decided = false }

// Add adds an attempt that was judged.
func (h *History) Add(t Verdict) { h.Verdicts = append(h.Verdicts, t) }

// AddRefusal adds an answer that could not be used.
func (h *History) AddRefusal(r Refusal) { h.Refusals = append(h.Refusals, r) }
