package module

import (
	"context"
	"strings"

	"forge/engine/graph"
	"forge/engine/mode"
	"forge/engine/pipeline/dialogue"
	"forge/engine/pipeline/work"
	"forge/engine/prompt"
	"forge/engine/step"
)

// redTests brings tests into the tree that fail without the implementation. Tests that were seen red
// stay for all later attempts, unless they are at fault.
func (x *executor) redTests(ctx context.Context, n graph.Node) step.Outcome {
	if x.Tests.Written != nil && !x.Tests.FaultyTests {
		x.Now.Add(*x.Tests.Written)
		return step.Outcome{}
	}
	x.Tests.Restart()
	p := x.testsPhase(n)
	if o := p.Once(ctx); o.Signal != step.Success {
		return o
	}
	if x.Tests.MayStand() && !p.WithoutTests() && len(work.Since(x.Now.Tree, len(x.Start.Tree.Changes)).Files) == 0 {
		return x.stand(p.Explanation)
	}
	if o := x.Now.Format(ctx, n, "tests", work.Since(x.Now.Tree, 0)); o.Signal != step.Success {
		return o
	}
	tests, o := x.Now.Write(ctx, n, "tests")
	if o.Signal != step.Success {
		return o
	}
	x.Tests.Explain(p.Explanation)
	tests = x.Now.WithMatches(tests.Since(x.Start.Given)) // tests of earlier parts are not of this one
	if o := x.reds.Confirm(ctx, n, x.Run.Project.Suites.In(tests)); o.Signal != step.Success {
		return o
	}
	x.Tests.Keep(tests)
	x.Run.WillConcern(work.ScopePaths(tests))
	if len(tests.Files) > 0 {
		return step.Outcome{}
	}
	x.Tests.Waived = p.Waived()
	if err := x.gates.Join(ctx); err != nil {
		return work.Unable(ctx, err)
	}
	return step.Outcome{}
}

// testsPhase returns the phase in which tests are written.
func (x *executor) testsPhase(n graph.Node) *dialogue.Phase {
	p := x.phase(n, work.PhaseTests, mode.TestsFirst)
	p.Instructions, p.InCode = dialogue.TestsInstructions(), dialogue.TestsInCode
	p.Guard, p.Demands = x.promises.Rules().OnlyTests, x.demandTests
	switch {
	case !x.gates.Joined():
		p.Instructions += dialogue.TestsMayBeThereInstructions
	case x.promises.Failing():
		p.Instructions += dialogue.TestsThereInstructions
	}
	if p.Log = x.prompter.FailedBefore(); len(p.Log) > 0 {
		p.Instructions += dialogue.TestsListedInstructions
	}
	return p
}

// demandTests reports whether the model must write tests: that is so unless some fail already.
func (x *executor) demandTests(ctx context.Context) (bool, error) {
	err := x.gates.Join(ctx)
	return !x.promises.Failing() && !x.Tests.MayStand(), err
}

// stand keeps tests that were handed back, and shows their author's reason to the implementation's model.
func (x *executor) stand(said string) step.Outcome {
	x.Tests.Stand()
	x.Now.Add(*x.Tests.Written)
	if said = strings.TrimSpace(said); said != "" {
		x.Findings.AddAnswer(prompt.Section{Kind: prompt.Errors, Name: "Why the tests stay as they are, according to their author", Text: said, Data: true, Cut: 1})
	}
	return step.Outcome{}
}
