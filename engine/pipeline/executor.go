package pipeline

import (
	"context"
	"fmt"
	"slices"

	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/mode"
	"forge/engine/step"
	"forge/patch"
)

// executor makes attempts: tests that fail, and the implementation.
type executor struct {
	*unit
	gates     *gates
	promises  *promises
	reds      *reds
	joiner    *joiner
	prompter  *prompter
	diagnosis *diagnosis
}

// execute is one attempt on a clean tree. Parts that go together are put together, and nothing else is done.
func (x *executor) execute(ctx context.Context, n graph.Node) graph.Outcome {
	x.now.start(n.Attempt)
	x.history.start()
	if x.history.judgedBy(n.Attempt) > 0 {
		return x.judgeAgain(ctx, n)
	}
	done, o := false, step.Outcome{}
	if x.job.joins {
		done, o = x.joiner.join(ctx, n)
	}
	if !done && o.Signal == step.Success {
		o = x.attemptChange(ctx, n)
	}
	x.now.reportWork(n, o)
	if o.Signal != step.Success {
		x.keepUnfinished(ctx, n)
		return x.again(ctx, n, o)
	}
	return graph.Outcome{Status: graph.Done}
}

// attemptChange has the change written: tests that are seen red where the work has some, then the implementation.
func (x *executor) attemptChange(ctx context.Context, n graph.Node) step.Outcome {
	way := x.job.way()
	if way.RedTests {
		if o := x.redTests(ctx, n); o.Signal != step.Success {
			return o
		}
	}
	tested := len(x.now.tree.Changes)
	if o := x.implement(ctx, n, way); o.Signal != step.Success {
		return o
	}
	if o := x.promises.checker.onlyDocuments(ctx, n); o.Signal != step.Success { // before formatters touch what models have not
		return o
	}
	if o := x.now.format(ctx, n, "implementation", since(x.now.tree, tested)); o.Signal != step.Success {
		return o
	}
	return x.conclude(ctx, n)
}

// conclude takes down the result of the attempt: what differs from the snapshot before any gate had a chance to leave something behind.
func (x *executor) conclude(ctx context.Context, n graph.Node) step.Outcome {
	changes, o := x.now.write(ctx, n, "result")
	if o.Signal != step.Success {
		return o
	}
	if o := x.demandChange(n, changes.Since(x.begin.given)); o.Signal != step.Success {
		return o
	}
	x.history.noteResult(changes)
	x.now.finish(changes)
	x.history.keepDraft(x.now.changes)
	return x.keepRed(ctx, n)
}

// again sends a retryable fault back to explore, until its attempts are used up.
func (x *executor) again(ctx context.Context, n graph.Node, o step.Outcome) graph.Outcome {
	if o.Signal == step.Retryable {
		if err := x.diagnosis.judge(ctx, n, o.Reason, []gate.Report{faultReport(nodeExecutor, o.Reason)}); err != nil {
			return graph.Outcome{Status: graph.Blocked, Reason: err.Error()}
		}
	}
	if o.Signal == step.Retryable && x.now.number >= x.run.attempts() {
		x.history.useUp()
		if x.now.idle != "" { // nothing failed, and nothing was done
			return graph.Outcome{Status: graph.Blocked, Reason: x.now.gaveUp(x.now.idle)}
		}
		return graph.Outcome{Status: graph.Failed, Reason: x.now.gaveUp(o.Reason)}
	}
	if o.Signal == step.Retryable {
		if end, ends := x.history.endRepeat(n, o.Reason); ends {
			return end
		}
	}
	if x.history.wanting != "" {
		o.Reason += fmt.Sprintf(". Answer it, and the run goes on: forge resume %s --answer \"…\"", x.run.Flow.RunID())
	}
	return outcome(o, graph.Failure)
}

// implement brings the implementation into the tree.
func (x *executor) implement(ctx context.Context, n graph.Node, way mode.Way) step.Outcome {
	p := x.phase(n, nameImplementation, way.Profile)
	p.guard, p.throughTests = x.promises.rules().Explained, !x.job.joins && !x.job.recipe().OnlyTests()
	switch {
	case x.job.joins:
		p.guard = x.promises.fitting
	case x.job.recipe().OnlyTests():
		p.guard = x.promises.rules().OnlyTests
	case way.RedTests:
		p.guard = x.promises.rules().Frozen
	}
	p.instructions = x.prompter.instructions(way)
	if len(x.run.task.Direct) > 0 {
		return p.directly(ctx)
	}
	before, ask := len(x.now.tree.Changes), p.once
	if way.Profile == mode.ToolUse {
		ask = p.work
	}
	o := ask(ctx)
	if !way.RedTests {
		x.tested.explain(p.told)
	}
	if o.Signal == step.Success && len(since(x.now.tree, before).Files) == 0 {
		return x.now.noop(n, p.told)
	}
	return o
}

// keepUnfinished keeps what an attempt has made that ended before it was judged, such as one that reached a limit between two turns.
// A change that cannot be written down is not kept: the attempt has ended for another reason, and that one is reported.
func (x *executor) keepUnfinished(ctx context.Context, n graph.Node) {
	if x.history.draftOf(x.now.number) != nil || len(x.now.tree.Changes) <= len(x.begin.start.Changes) || ctx.Err() != nil {
		return
	}
	changes, o := x.now.write(ctx, n, name("unfinished", x.run.retried(n)))
	if o.Signal != step.Success {
		return
	}
	own := changes.Since(x.begin.given)
	if slices.ContainsFunc(own.Files, func(f patch.FileChange) bool { return x.job.recipe().OnlyTests() || !x.run.Project.IsTest(f.Path) }) {
		x.history.keepDraft(x.now.withMatches(changes))
	}
}

// demandChange sees to it that an attempt's result has more in it than the tests that were written for it: edits that undo each
// other are no work.
func (x *executor) demandChange(n graph.Node, changes patch.ChangeSet) step.Outcome {
	for _, f := range changes.Files {
		if x.job.recipe().OnlyTests() || !x.tested.justTests(f) {
			return step.Outcome{}
		}
	}
	return x.now.noop(n, "what it changed is what was there before")
}

// keepRed sees to it that tests of parts which were changed when the parts were put together still fail without what they are for.
func (x *executor) keepRed(ctx context.Context, n graph.Node) step.Outcome {
	if !x.job.joins {
		return step.Outcome{}
	}
	return x.reds.seeRedAgain(ctx, n)
}

// phase is a phase of the attempt under way. Its instructions and its guard are for the caller to add.
func (x *executor) phase(n graph.Node, name string, profile mode.Profile) *phase {
	p := newPhase(x.unit, x.promises, x.prompter)
	p.node, p.name, p.profile, p.aftermath = n, name, profile, x.diagnosis.afterwards(n)
	return p
}
