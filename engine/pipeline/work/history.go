package work

import (
	"fmt"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/overseer"
	"forge/engine/step"
	"forge/patch"
)

// History is all attempts of a module so far, in order. Executor and review write it; the next attempt reads it.
type History struct {
	run    *Run
	job    *Job
	now    *Attempt
	tested *Tests

	Verdicts []Verdict // of judged attempts
	drafts   []Draft   // results of attempts
	Refusals []Refusal // unusable answers of all attempts
	Moved    string    // the snapshot for attempts since the run was resumed; empty means that of the run
	UsedUp   bool      // no attempts are left
	Decided  bool      // the module ended by a judgement of its attempts, and not because an operation failed
	TooLarge string    // why a model finds the part too large for one change; usually empty
	Missing  string    // what a model is missing and the user did not provide; usually empty
}

// Verdict is the judgement of an attempt.
type Verdict struct {
	Attempt int
	Reason  string        // why it was not accepted; empty if it was
	Reports []gate.Report // the gates' reports; without gates, its fault in the form of a report
	Tree    step.State    // its final tree
	Edits   []Edited
	Result  string // a digest of the change; empty without one that gates could check
	Outcome overseer.Attempt
}

// charged reports whether the attempt is to blame for its result: a broken gate may pass the next time.
func (t Verdict) charged() bool {
	return slices.ContainsFunc(t.Reports, func(r gate.Report) bool { return r.Verdict == gate.Fail })
}

// Edited is an edit of an attempt.
type Edited struct {
	Digest string   // equal for the same edit on the same tests
	Paths  []string // changed files
}

// Last returns the latest attempt; the zero Verdict if there is none.
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

// Outcomes returns the results of the first n attempts.
func (h *History) Outcomes(n int) []overseer.Attempt {
	all := make([]overseer.Attempt, n)
	for i := range n {
		all[i] = h.Verdicts[i].Outcome
	}
	return all
}

// Created returns the files that attempts have created: their author need not read them, and the next attempt begins without them.
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

// Summary returns a line for each attempt: its changes, and its result.
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

// Start forgets how the previous attempt ended.
func (h *History) Start() { h.Decided, h.Missing, h.TooLarge = false, "", "" }

// Decide records that the module ended by a judgement of its attempts.
func (h *History) Decide() { h.Decided = true }

// Lack records what a model is missing, and that the user did not provide it.
func (h *History) Lack(missing string) { h.Missing, h.Decided = missing, true }

// UseUp records that no attempts are left.
func (h *History) UseUp() { h.UsedUp = true }

// JudgedBy returns the retry that judges the module's best draft in an attempt, from 1; 0 for none.
func (h *History) JudgedBy(attempt int) int {
	place := step.Place{Node: h.job.Node(NodeExecutor), Attempt: attempt}
	at := slices.IndexFunc(h.run.Retries, func(r Retry) bool { return slices.Contains(r.Judge, place) })
	if h.BestBefore(attempt) == nil {
		return 0
	}
	return at + 1
}

// NewBase returns the snapshot of the user's files from when the run was resumed to judge an attempt; empty for none.
func (h *History) NewBase(attempt int) string {
	if by := h.JudgedBy(attempt); by > 0 && by <= len(h.run.Again) {
		return h.run.Again[by-1]
	}
	return ""
}

// BestBefore returns the best draft of the attempts before one, or nil.
func (h *History) BestBefore(attempt int) *Draft {
	earlier := History{drafts: slices.DeleteFunc(slices.Clone(h.drafts), func(d Draft) bool { return d.Attempt >= attempt })}
	return earlier.Best()
}

// ResumedAt reports whether an attempt is the first with a model after the run was resumed.
func (h *History) ResumedAt(attempt int) bool {
	extra := h.job.lending.waits + h.tested.reconsidered // attempts that do not count (LastAttempt)
	return attempt > 1 && (attempt-extra > h.run.Limit(attempt-1-extra) || h.JudgedBy(attempt-1) > 0)
}

// AfterResume reports whether an attempt is the first that is judged after the run was resumed. Those before it are only replayed, and must come to the
// same steps: what it reports never changes for an attempt whose review began.
func (h *History) AfterResume(attempt int) bool {
	stuck := func(node string, attempt int) bool {
		return h.run.Retried(graph.Node{ID: h.job.Node(node), Attempt: attempt}) > 0
	}
	return h.JudgedBy(attempt) > 0 || h.JudgedBy(attempt-1) == 0 && h.ResumedAt(attempt) ||
		stuck(NodeExplore, attempt) || stuck(NodeExecutor, attempt) || stuck(NodeReview, attempt-1)
}

// Touched returns the files that the attempt changes.
func (h *History) Touched() (paths []string) {
	for _, t := range h.Last().Edits {
		paths = Union(paths, t.Paths)
	}
	return paths
}

// Accepted reports whether the latest attempt was accepted.
func (h *History) Accepted() bool { return len(h.Verdicts) > 0 && h.Last().Reason == "" }

// Best returns the accepted draft, otherwise the latest of those with the most passing checks; nil if no attempt made one without
// syntax errors.
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

// DraftOf returns the draft of an attempt, or nil.
func (h *History) DraftOf(attempt int) *Draft {
	at := slices.IndexFunc(h.drafts, func(d Draft) bool { return d.Attempt == attempt })
	if at < 0 {
		return nil
	}
	return &h.drafts[at]
}

// KeepDraft keeps the draft of the attempt.
func (h *History) KeepDraft(changes patch.ChangeSet) {
	h.drafts = append(h.drafts, Draft{
		Attempt: h.now.Number, tree: h.now.Tree, Changes: changes, Explanation: h.now.Work.explanation, broken: h.now.unparsed, tests: h.tested.Written, red: h.tested.Red,
	})
}

// CloseDraft records why the current attempt was not accepted.
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

// GoOn reopens the module for another attempt.
func (h *History) GoOn() { h.Decided = false }

// Add adds a judged attempt.
func (h *History) Add(t Verdict) { h.Verdicts = append(h.Verdicts, t) }

// AddRefusal adds an unusable answer.
func (h *History) AddRefusal(r Refusal) { h.Refusals = append(h.Refusals, r) }
