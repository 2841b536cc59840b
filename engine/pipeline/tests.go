package pipeline

import (
	"context"

	"forge/engine/graph"
	"forge/engine/mode"
	"forge/engine/step"
)

// redTests brings tests into the tree that fail without the implementation. Tests that were seen red
// once stay for all later attempts, unless the attempt's fault lies in them.
func (x *executor) redTests(ctx context.Context, n graph.Node) step.Outcome {
	if x.tested.tests != nil && !x.tested.faultyTests {
		x.now.add(*x.tested.tests)
		return step.Outcome{}
	}
	x.tested.restart()
	p := x.phase(n, nameTests, mode.TestsFirst)
	p.instructions, p.guard, p.demands = testsInstructions(), x.promises.rules().OnlyTests, !x.promises.failing()
	if x.promises.failing() {
		p.instructions += testsThereInstructions
	}
	p.log = x.tested.disownedTests()
	if o := p.once(ctx); o.Signal != step.Success {
		return o
	}
	if o := x.now.format(ctx, n, "tests", since(x.now.tree, 0)); o.Signal != step.Success {
		return o
	}
	tests, o := x.now.write(ctx, n, "tests")
	if o.Signal != step.Success {
		return o
	}
	x.tested.explain(p.told)
	tests = x.now.withMatches(tests.Since(x.begin.given)) // what earlier parts have made is no test of this one
	for _, s := range x.run.Project.Suites.In(tests) {
		if o := x.reds.seeRed(ctx, n, s); o.Signal != step.Success {
			return o
		}
	}
	x.tested.keep(tests)
	return step.Outcome{}
}
