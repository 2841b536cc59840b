package judge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/pipeline/work"
	"forge/engine/step"
)

// Joiner joins the results of the parts of a plan.
type Joiner struct {
	*work.Module
	checker *Checker
}

// NewJoiner returns a joiner of the modules before a module.
func NewJoiner(u *work.Module, c *Checker) *Joiner { return &Joiner{Module: u, checker: c} }

// Join joins the results of the parts. It reports whether that completes the attempt: later attempts fix findings of gates, and so does
// the first if parts conflict.
func (j *Joiner) Join(ctx context.Context, n graph.Node) (done bool, o step.Outcome) {
	changes, o := j.Now.Write(ctx, n, "joined")
	if o.Signal != step.Success {
		return false, o
	}
	j.Start.Given = changes
	j.Now.Finish(changes)
	done = n.Attempt == 1 && len(j.Start.Clashes) == 0
	if done {
		j.History.KeepDraft(j.Now.Changes)
	}
	return done, o
}

const gateIntegration = "integration"

// WithIntegration adds, for joined parts, the findings of gates that no part has alone.
func (j *Joiner) WithIntegration(n graph.Node, reports []gate.Report) []gate.Report {
	if !j.Job.Joins {
		return reports
	}
	var names []string
	for _, part := range j.Job.After {
		names = append(names, part.Job.ID)
	}
	report := gate.Report{
		Gate: gateIntegration, Verdict: gate.Pass, Executed: len(names), Passed: len(names),
		Summary: saidOf(names, "hold together", "holds together with what came before it"),
	}
	for _, r := range reports {
		for _, f := range r.Findings {
			if r.Verdict != gate.Pass && !slices.ContainsFunc(j.Job.After, func(part *work.Module) bool { return part.Now.Found(r.Gate, f) }) {
				report.Findings = append(report.Findings, f)
			}
		}
	}
	if !gate.Open(reports) {
		report.Verdict, report.Passed = gate.Fail, 0
		report.Summary = saidOf(names, "do not hold together", "does not hold together with what came before it") +
			fmt.Sprintf(": %s that no part has alone", event.Count(len(report.Findings), "finding"))
	}
	j.Run.Emit(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: report})
	return append(slices.Clip(reports), report)
}

// saidOf formats a statement about several parts, or about the only one.
func saidOf(names []string, several, one string) string {
	if len(names) == 1 {
		return names[0] + " " + one
	}
	return strings.Join(names, ", ") + " " + several
}

// Together adds the checks that are only possible for joined parts: whether the definitions that parts use of each other exist, and
// which files of the plan no part has written.
func (j *Joiner) Together(ctx context.Context, n graph.Node) error {
	j.checker.drop(func(r gate.Report) bool {
		return r.Gate == gateFile || slices.Contains(j.Run.Project.Joining, r.Gate)
	})
	for _, name := range j.Run.Project.Joining {
		report, err := j.checker.fresh(ctx, n, name)
		if err != nil {
			return err
		}
		if report.Verdict == gate.Pass || report.Verdict == gate.Fail { // a gate that could not run does not stop it
			j.checker.add(n, report)
		}
	}
	unmade, err := j.unmade(ctx, n)
	if err != nil {
		return err
	}
	unplanned := j.unplanned()
	if found := slices.Concat(unmade, unplanned); len(found) > 0 {
		j.checker.add(n, gate.Report{
			Gate: gateFile, Verdict: gate.Pass, Executed: len(found), Findings: found,
			Summary: strings.Join(nonEmpty(said(unmade, "named by the plan and not made"), said(unplanned, "changed and not named by the plan")), ", "),
		})
	}
	return nil
}

// said formats the files of findings; "" if there are none.
func said(found []gate.Finding, what string) string {
	if len(found) == 0 {
		return ""
	}
	text := event.Count(len(found), "file") + " " + what + ": "
	for i, f := range found {
		switch {
		case i == maxSaid:
			return text + fmt.Sprintf(" and %d more", len(found)-i)
		case i > 0:
			text += ", "
		}
		text += f.Path
	}
	return text
}

// maxSaid is the number of files that a summary names.
const maxSaid = 3

func nonEmpty(texts ...string) []string {
	return slices.DeleteFunc(texts, func(text string) bool { return text == "" })
}

// unplanned returns files that parts have changed and that the plan gives to no part.
func (j *Joiner) unplanned() (found []gate.Finding) {
	for _, one := range j.Job.Before() {
		for _, path := range one.Now.Forgotten() {
			owner := cmp.Or(one.Job.Owner(path), "no part")
			found = append(found, gate.Finding{
				Path: path, Line: 1, Severity: gate.SeverityInfo, Rule: gateFile, Message: "part " + one.Job.ID + " changes this file, which the plan gives to " + owner,
			})
		}
	}
	return found
}

// unmade returns the files of the plan that are missing although no change has deleted them.
func (j *Joiner) unmade(ctx context.Context, n graph.Node) (found []gate.Finding, err error) {
	changed := work.ChangedPaths(j.Now.Changes)
	for _, one := range j.Job.Before() {
		if one.Job.Part == nil {
			continue
		}
		for _, path := range one.Job.Part.Files {
			if slices.Contains(changed, path) {
				continue
			}
			text, err := step.ActivityRead.Call(ctx, j.Run.Flow, work.At(n), "named/"+one.Job.ID+"/"+path, step.ReadCall{State: j.Now.Tree, Path: path})
			if failed := (*flow.Failure)(nil); errors.As(err, &failed) {
				continue // an unreadable file exists
			}
			if err != nil {
				return found, err
			}
			if !text.Exists {
				found = append(found, gate.Finding{
					Path: path, Line: 1, Severity: gate.SeverityWarning, Rule: gateFile, Message: "part " + one.Job.ID + " of the plan names this file, and no part has made it",
				})
			}
		}
	}
	return found, nil
}

const gateFile = "file"
