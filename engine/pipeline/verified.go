package pipeline

import (
	"context"
	"fmt"
	"strings"

	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/mode"
	"forge/engine/step"
)

// verified is the outcome of a change that nothing speaks against: it stands where a gate that decides has passed, and where it is one of
// documents, which no gate judges. Else the user decides: nothing of weight has looked at it.
func (rv *reviewer) verified(ctx context.Context, n graph.Node, done graph.Outcome) graph.Outcome {
	if !rv.job.whole() || gate.Verified(rv.reports) && rv.testsRan() {
		return done
	}
	code, err := step.ActivityCode.Call(ctx, rv.run.Flow, at(n), "code", step.CodeCall{Before: rv.run.base(), After: rv.now.tree, Paths: changedPaths(rv.now.changes)})
	switch {
	case err != nil:
		return failed("compare the code", err)
	case len(code) == 0: // documents and comments
		return done
	case rv.job.recipe() == mode.Document:
		return graph.Outcome{Status: graph.Blocked, Reason: fmt.Sprintf("nothing checks what changes in %s, which is code, or cannot be told from code", strings.Join(code, ", "))}
	}
	return graph.Outcome{Status: graph.Blocked, Reason: rv.notVerified()}
}

// notVerified says why no gate with a say has passed the change.
func (rv *reviewer) notVerified() string {
	said := strings.TrimSpace(describe(rv.reports))
	switch why := rv.run.Project.unchecked(); {
	case why != "":
		return why
	case gate.Verified(rv.reports):
		return "no test was executed, and there are some: " + said
	case said != "":
		return "no check that decides could run: " + said
	}
	return fmt.Sprintf("nothing checks this change: it is of no concern to %s", strings.Join(rv.run.Project.Gates, ", "))
}

// testsRan reports whether some test that the change concerns was executed and passed, or there is none: that code compiles says little of
// it where tests could say more and do not run.
func (rv *reviewer) testsRan() bool {
	there := false
	for _, report := range rv.reports {
		if rv.gates.suite(report.Gate) == nil || report.Unconcerned || report.Verdict == gate.NotRun && report.Empty {
			continue
		}
		if report.Decides() && report.Verdict == gate.Pass && report.Passed > 0 {
			return true
		}
		there = true
	}
	return !there
}
