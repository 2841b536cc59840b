package pipeline

import (
	"context"
	"errors"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/step"
)

const gateFile = "file"

// together adds to what gates said of parts that were joined what can be said of them only then: whether what each takes out of the
// others is there, and which files the plan names that nobody has made.
func (j *joiner) together(ctx context.Context, n graph.Node) error {
	j.checker.drop(func(r gate.Report) bool {
		return r.Gate == gateFile || slices.Contains(j.run.Project.Joining, r.Gate)
	})
	for _, name := range j.run.Project.Joining {
		report, err := j.checker.fresh(ctx, n, name)
		if err != nil {
			return err
		}
		if report.Verdict == gate.Pass || report.Verdict == gate.Fail { // what cannot be told stops nobody
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

// said is what holds of the files of some findings; empty where there are none.
func said(found []gate.Finding, what string) string {
	if len(found) == 0 {
		return ""
	}
	return count(len(found), "file") + " " + what
}

func nonEmpty(texts ...string) []string {
	return slices.DeleteFunc(texts, func(text string) bool { return text == "" })
}

// unplanned are files that parts have changed and that the plan gives to no part.
func (j *joiner) unplanned() (found []gate.Finding) {
	for _, one := range j.job.after {
		for _, path := range one.now.forgotten() {
			found = append(found, gate.Finding{
				Path: path, Line: 1, Severity: gate.SeverityInfo, Rule: gateFile, Message: "part " + one.job.id + " changes this file, which the plan gives to no part",
			})
		}
	}
	return found
}

func (c *checker) add(n graph.Node, report gate.Report) {
	c.checked = append(c.checked, report)
	c.run.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: report})
}

// fresh is what a gate says of the joined tree that it does not say of the person's. That is asked only where there is something
// to charge.
func (c *checker) fresh(ctx context.Context, n graph.Node, name string) (gate.Report, error) {
	report, err := c.gates.runGate(ctx, n, "joined", name, c.now.tree)
	if err != nil || report.Verdict != gate.Fail {
		return report, err
	}
	before, err := c.gates.runGate(ctx, n, "unjoined", name, c.run.base())
	return gate.Baseline([]gate.Report{before}, []gate.Report{report})[0], err
}

// unmade are the files that parts of the plan name, and that are not there although no change has taken them away.
func (j *joiner) unmade(ctx context.Context, n graph.Node) (found []gate.Finding, err error) {
	changed := changedPaths(j.now.changes)
	for _, one := range j.job.after {
		if one.job.part == nil {
			continue
		}
		for _, path := range one.job.part.Files {
			if slices.Contains(changed, path) {
				continue
			}
			text, err := step.Call[step.Text](ctx, j.run.Flow, at(n), "named/"+one.job.id+"/"+path, step.ActivityRead, step.ReadCall{State: j.now.tree, Path: path})
			if failed := (*flow.Failure)(nil); errors.As(err, &failed) {
				continue // whatever cannot be read is there
			}
			if err != nil {
				return found, err
			}
			if !text.Exists {
				found = append(found, gate.Finding{
					Path: path, Line: 1, Severity: gate.SeverityWarning, Rule: gateFile, Message: "part " + one.job.id + " of the plan names this file, and no part has made it",
				})
			}
		}
	}
	return found, nil
}
