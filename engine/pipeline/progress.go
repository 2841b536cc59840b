package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/overseer"
	"forge/engine/step"
	"forge/patch"
)

// try is an attempt that was judged.
type try struct {
	attempt int
	reason  string        // why it was not accepted; empty where it was
	reports []gate.Report // what gates said of it; where none was asked, what was wrong with it in the form of one
	tree    step.State    // as it was left
	edits   []edited
	result  string // a digest of what the attempt came to; empty where it came to nothing that gates could check
	outcome overseer.Attempt
}

// edited is an edit of an attempt.
type edited struct {
	digest string   // the same edit on the same tests is the same digest
	paths  []string // that it changes
}

// charged reports whether the attempt is to blame for how it came out: a gate that broke may find nothing wrong the next time.
func (t try) charged() bool {
	return slices.ContainsFunc(t.reports, func(r gate.Report) bool { return r.Verdict == gate.Fail })
}

// faultReport is a report in the place of a gate's, for an attempt that did not come so far or that a reader did not accept.
func faultReport(of, reason string, findings ...gate.Finding) gate.Report {
	return gate.Report{Gate: of, Verdict: gate.Fail, Executed: 1, Summary: reason, Findings: findings}
}

// judge adds an attempt to those that were made, tells how it came out, and lets memory learn of it. An attempt is judged once.
// The error is for what could not be journaled.
func (m *module) judge(ctx context.Context, n graph.Node, reason string, reports []gate.Report) error {
	if len(m.tries) > 0 && m.tries[len(m.tries)-1].attempt == m.attempt {
		return nil
	}
	m.closeDraft(reason, reports)
	m.tries = append(m.tries, try{
		attempt: m.attempt, reason: reason, reports: reports, tree: m.tree, edits: m.edits, result: m.resulted, outcome: overseer.AttemptOf(reports),
	})
	a := m.assess()
	last := m.tries[len(m.tries)-1].outcome
	failures := slices.Clone(last.Failures)
	slices.Sort(failures)
	m.Tell(event.AttemptJudged{
		Part: m.id, Attempt: m.attempt, Of: m.attempts(), Passed: last.Passed, Total: last.Total, Score: a.Score, Velocity: a.Velocity,
		Failures: failures, Stagnation: stagnation(a), Recommendation: string(a.Recommendation),
	})
	return m.learn(ctx, n)
}

// assess judges all attempts so far.
func (m *module) assess() overseer.Assessment {
	return overseer.Assess(m.outcomes(len(m.tries)))
}

// outcomes are how the first n attempts came out.
func (m *module) outcomes(n int) []overseer.Attempt {
	all := make([]overseer.Attempt, n)
	for i := range n {
		all[i] = m.tries[i].outcome
	}
	return all
}

func stagnation(a overseer.Assessment) string {
	switch {
	case a.Same:
		return "same failures"
	case a.Oscillating:
		return "oscillation"
	case a.Plateau:
		return "no progress"
	}
	return ""
}

// lastTry is the latest attempt; the zero try where there was none.
func (m *module) lastTry() try {
	if len(m.tries) == 0 {
		return try{}
	}
	return m.tries[len(m.tries)-1]
}

// noteEdit keeps that an edit became part of the attempt.
func (m *module) noteEdit(changes patch.ChangeSet) {
	if len(changes.Files) == 0 {
		return
	}
	e := edited{digest: m.fingerprint(changes)}
	for _, f := range changes.Files {
		e.paths = append(e.paths, f.Path)
	}
	slices.Sort(e.paths)
	m.edits = append(m.edits, e)
}

// fingerprint names what a tree becomes with an edit: the same implementation under other tests is another one. How the edit was made, and in how
// many steps, does not count.
func (m *module) fingerprint(changes patch.ChangeSet) string {
	var left []string // paths, each followed by its text; sorted
	put := func(path, text string) {
		at, found := slices.BinarySearchFunc(left, path, func(entry, p string) int {
			name, _, _ := strings.Cut(entry, "\x00")
			return strings.Compare(name, p)
		})
		if !found {
			left = slices.Insert(left, at, "")
		}
		left[at] = path + "\x00" + text
	}
	for _, set := range append(slices.Clone(m.tree.Changes), changes) {
		for _, f := range set.Files {
			if f.From != "" && f.From != f.Path {
				put(f.From, "\x00")
			}
			if f.Kind == patch.Delete {
				put(f.Path, "\x00")
				continue
			}
			put(f.Path, f.After)
		}
	}
	sum := sha256.Sum256([]byte(strings.Join(left, "\x00\x00")))
	return hex.EncodeToString(sum[:8])
}
