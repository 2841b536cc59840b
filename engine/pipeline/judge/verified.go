package judge

import (
	"context"
	"fmt"
	"strings"

	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/mode"
	"forge/engine/pipeline/work"
	"forge/engine/step"
)

// Verified is the outcome of a change that nothing speaks against: it stands where a gate that decides has passed, and where it is one of
// documents, which no gate judges. Else the user decides: nothing of weight has looked at it.
func (c *Checker) Verified(ctx context.Context, n graph.Node, reports []gate.Report, done graph.Outcome) graph.Outcome {
	if !c.Job.Whole() || gate.Verified(reports) && c.testsRan(reports) {
		return done
	}
	code, err := step.ActivityCode.Call(ctx, c.Run.Flow, work.At(n), "code", step.CodeCall{Before: c.Run.Folder(), After: c.Now.Tree, Paths: work.ChangedPaths(c.Now.Changes)})
	switch {
	case err != nil:
		return work.Failed("compare the code", err)
	case len(code) == 0: // documents and comments
		return done
	case c.Job.Recipe() == mode.Document:
		return graph.Outcome{Status: graph.Blocked, Reason: fmt.Sprintf("nothing checks what changes in %s, which is code, or cannot be told from code", strings.Join(code, ", "))}
	}
	return graph.Outcome{Status: graph.Blocked, Reason: c.notVerified(reports)}
}

// notVerified says why no gate with a say has passed the change.
func (c *Checker) notVerified(reports []gate.Report) string {
	said := strings.TrimSpace(work.Describe(reports))
	switch why := c.Run.Project.Unchecked(); {
	case why != "":
		return why
	case gate.Verified(reports):
		return "no test was executed, and there are some: " + said
	case said != "":
		return "no check that decides could run: " + said
	}
	return fmt.Sprintf("nothing checks this change: it is of no concern to %s", strings.Join(c.Run.Project.Gates, ", "))
}

// testsRan reports whether some test that the change concerns was executed and passed, or there is none: that code compiles says little of
// it where tests could say more and do not run.
func (c *Checker) testsRan(reports []gate.Report) bool {
	there := false
	for _, report := range reports {
		if c.gates.suite(report.Gate) == nil || report.Unconcerned || report.Verdict == gate.NotRun && report.Empty {
			continue
		}
		if report.Decides() && report.Verdict == gate.Pass && report.Passed > 0 {
			return true
		}
		there = true
	}
	return !there
}
