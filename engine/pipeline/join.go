package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/step"
	"forge/patch"
)

// joiner puts together what the parts of a plan have made.
type joiner struct {
	run     *run
	gates   *gates
	job     *job
	begin   *beginning
	now     *attempt
	history *history
	checker *checker
	reds    *reds
}

const joinInstructions = `Several parts of one change were written apart from each other, and have been put together. What does not fit together
is shown at the end; mend that, and nothing else: keep what each part is for. Tests of the parts stay as they are, unless the
fault lies in them. Format the code as the language's formatter does.`

// join puts together what the parts have made. It reports whether that is the attempt: later ones mend what gates found, and
// so does the first where parts clash.
func (j *joiner) join(ctx context.Context, n graph.Node) (done bool, o step.Outcome) {
	changes, o := j.now.write(ctx, n, "joined")
	if o.Signal != step.Success {
		return false, o
	}
	j.begin.given, j.now.changes = changes, j.now.withMatches(changes)
	done = n.Attempt == 1 && len(j.begin.clashes) == 0
	if done {
		j.history.keepDraft(j.now.changes)
	}
	return done, o
}

// fitting is the guard while parts are fitted together: tests keep what is in them, but for those of the parts where the fault lies in
// them, or where parts clash.
func (ps *promises) fitting(changes patch.ChangeSet, explanation string) error {
	rest := slices.DeleteFunc(slices.Clone(changes.Files), func(f patch.FileChange) bool {
		clash := slices.ContainsFunc(ps.begin.clashes, func(c patch.Clash) bool { return c.Path == f.Path })
		return f.Kind != patch.Delete && ps.run.Project.IsTest(f.Path) && ps.tested.wroteTest(f.Path) && (ps.tested.faultyTests || clash)
	})
	return ps.rules().Growing(patch.ChangeSet{Files: rest}, explanation)
}

const gateIntegration = "integration"

// withIntegration adds, where parts were joined, what gates say of them together that they did not say of any part by itself.
func (j *joiner) withIntegration(n graph.Node, reports []gate.Report) []gate.Report {
	if !j.job.joins {
		return reports
	}
	var names []string
	for _, part := range j.job.after {
		names = append(names, part.job.id)
	}
	report := gate.Report{
		Gate: gateIntegration, Verdict: gate.Pass, Executed: len(names), Passed: len(names),
		Summary: saidOf(names, "hold together", "holds together with what came before it"),
	}
	for _, r := range reports {
		for _, f := range r.Findings {
			if r.Verdict != gate.Pass && !slices.ContainsFunc(j.job.after, func(part *module) bool { return part.checker.found(r.Gate, f) }) {
				report.Findings = append(report.Findings, f)
			}
		}
	}
	if !gate.Open(reports) {
		report.Verdict, report.Passed = gate.Fail, 0
		report.Summary = saidOf(names, "do not hold together", "does not hold together with what came before it") +
			fmt.Sprintf(": %s that none of them has by itself", count(len(report.Findings), "finding"))
	}
	j.run.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: report})
	return append(slices.Clip(reports), report)
}

// saidOf says something of parts, or of the only one.
func saidOf(names []string, several, one string) string {
	if len(names) == 1 {
		return names[0] + " " + one
	}
	return strings.Join(names, ", ") + " " + several
}

// found reports whether a gate found the same in the module's own tree.
func (c *checker) found(name string, f gate.Finding) bool {
	for _, r := range c.checked {
		if r.Gate == name && slices.ContainsFunc(r.Findings, func(g gate.Finding) bool { return g.Path == f.Path && g.Message == f.Message && g.Test == f.Test }) {
			return true
		}
	}
	return false
}

// measure has the gates look at the result of the attempt. Where one part alone was joined it is the tree that they have seen.
func (rv *reviewer) measure(ctx context.Context, n graph.Node) error {
	if rv.job.joins && n.Attempt == 1 && len(rv.job.after) == 1 {
		rv.checker.take(n, rv.job.after[0].checker.checked)
	} else if err := rv.checker.checkChange(ctx, n); err != nil {
		return err
	}
	if !rv.job.joins {
		return nil
	}
	return rv.joiner.together(ctx, n)
}
