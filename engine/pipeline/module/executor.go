package module

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/mode"
	"forge/engine/pipeline/dialogue"
	"forge/engine/pipeline/judge"
	"forge/engine/pipeline/work"
	"forge/engine/step"
	"forge/patch"
)

// executor makes attempts: failing tests, and the implementation.
type executor struct {
	*work.Module
	gates     *judge.Gates
	promises  *judge.Promises
	reds      *judge.Reds
	joiner    *judge.Joiner
	prompter  *dialogue.Prompter
	diagnosis *diagnosis
	overdone  bool // an attempt that documents was refused, because it has changed code
}

// execute is one attempt on a clean tree. For joined parts it only joins them.
func (x *executor) execute(ctx context.Context, n graph.Node) graph.Outcome {
	x.Now.Start(n.Attempt)
	x.History.Start()
	if x.History.JudgedBy(n.Attempt) > 0 {
		return x.judgeAgain(ctx, n)
	}
	done, o := false, step.Outcome{}
	if x.Job.Joins {
		done, o = x.joiner.Join(ctx, n)
	}
	if !done && o.Signal == step.Success {
		o = x.attemptChange(ctx, n)
	}
	x.Now.ReportWork(n, o)
	if x.Job.Wants() && ctx.Err() == nil {
		nodes, why := x.Job.Wait()
		return graph.Outcome{Status: graph.Blocked, Reason: why, Lane: graph.Failure, Await: nodes}
	}
	if o.Signal != step.Success {
		x.keepUnfinished(ctx, n)
		return x.again(ctx, n, o)
	}
	return graph.Outcome{Status: graph.Done}
}

// attemptChange makes the change: failing tests if the work has some, then the implementation.
func (x *executor) attemptChange(ctx context.Context, n graph.Node) step.Outcome {
	way := x.Job.Way()
	if way.RedTests {
		if o := x.redTests(ctx, n); o.Signal != step.Success {
			return o
		}
	}
	tested := len(x.Now.Tree.Changes)
	if o := x.implement(ctx, n, way); o.Signal != step.Success {
		return o
	}
	if o := x.promises.Checker.OnlyDocuments(ctx, n); o.Signal != step.Success { // before formatters change other files
		x.overdone = x.overdone || o.Signal == step.Retryable
		return o
	}
	if o := x.Now.Format(ctx, n, "implementation", work.Since(x.Now.Tree, tested)); o.Signal != step.Success {
		return o
	}
	return x.conclude(ctx, n)
}

// conclude records the result of the attempt: the differences from the snapshot, before any gate can leave files.
func (x *executor) conclude(ctx context.Context, n graph.Node) step.Outcome {
	changes, o := x.Now.Write(ctx, n, "result")
	if o.Signal != step.Success {
		return o
	}
	if o := x.demandChange(n, changes.Since(x.Start.Given)); o.Signal != step.Success {
		return o
	}
	x.History.NoteResult(changes)
	x.Now.Finish(changes)
	x.History.KeepDraft(x.Now.Changes)
	return x.keepRed(ctx, n)
}

// again sends a retryable fault back to explore, until the attempts are used up.
func (x *executor) again(ctx context.Context, n graph.Node, o step.Outcome) graph.Outcome {
	if o.Signal == step.Retryable {
		if err := x.diagnosis.judge(ctx, n, o.Reason, []gate.Report{work.FaultReport(work.NodeExecutor, o.Reason)}); err != nil {
			return graph.Outcome{Status: graph.Blocked, Reason: err.Error()}
		}
	}
	if o.Signal == step.Retryable && x.LastAttempt() {
		x.History.UseUp()
		if x.Now.Idle != "" { // nothing failed, and nothing was changed
			return graph.Outcome{Status: graph.Blocked, Reason: x.Now.GaveUp(x.Now.Idle) + x.codeToo()}
		}
		return graph.Outcome{Status: graph.Failed, Reason: x.Now.GaveUp(o.Reason) + x.codeToo()}
	}
	if o.Signal == step.Retryable {
		if end, ends := x.History.EndRepeat(n, o.Reason); ends {
			end.Reason += x.codeToo()
			return end
		}
	}
	if x.History.Missing != "" {
		o.Reason = fmt.Sprintf("%s. To answer it and continue the run: forge resume %s --answer \"…\"", strings.TrimSuffix(o.Reason, "."), x.Run.Flow.RunID()) + x.codeToo()
	}
	return work.Outcome(o, graph.Failure)
}

// codeToo returns how the user has code changed too, as the end of a reason; empty unless the work documents and cannot be done without code.
func (x *executor) codeToo() string {
	switch {
	case x.Job.Recipe() != mode.Document || !x.overdone && x.History.Missing == "":
		return ""
	case x.Run.Task.Recipe == mode.Document:
		return `. To have code changed too: forge run --recipe implement "…"`
	}
	return `. To have the part change code: forge plan "…" writes the plan to a file; change the type of the part there, then forge run --plan-file FILE`
}

// implement brings the implementation into the tree.
func (x *executor) implement(ctx context.Context, n graph.Node, way mode.Way) step.Outcome {
	p := x.phase(n, work.PhaseImplementation, way.Profile)
	p.Guard, p.ThroughTests = x.promises.Rules().Explained, !x.Job.Joins && !x.Job.Recipe().OnlyTests()
	switch {
	case x.Job.Joins:
		p.Guard = x.promises.Fitting
	case x.Job.Recipe().OnlyTests():
		p.Guard = x.promises.Rules().OnlyTests
	case way.RedTests:
		p.Guard, p.InCode = x.promises.Rules().Frozen, dialogue.FrozenInCode
	}
	p.Instructions = x.prompter.Instructions(way)
	if len(x.Run.Task.Direct) > 0 {
		return p.Directly(ctx)
	}
	before, ask := len(x.Now.Tree.Changes), p.Once
	if way.Profile == mode.ToolUse {
		ask = p.Work
	}
	o := ask(ctx)
	if !way.RedTests {
		x.Tests.Explain(p.Explanation)
	}
	if o.Signal == step.Success && len(work.Since(x.Now.Tree, before).Files) == 0 {
		return x.Now.Noop(n, p.Explanation)
	}
	return o
}

// keepUnfinished keeps the changes of an attempt that ended before it was judged, for example at a limit. A failure to record them
// is not reported: the attempt ended for another reason.
func (x *executor) keepUnfinished(ctx context.Context, n graph.Node) {
	if x.History.DraftOf(x.Now.Number) != nil || len(x.Now.Tree.Changes) <= len(x.Start.Tree.Changes) || ctx.Err() != nil {
		return
	}
	changes, o := x.Now.Write(ctx, n, work.Again("unfinished", x.Run.Retried(n)))
	if o.Signal != step.Success {
		return
	}
	own := changes.Since(x.Start.Given)
	if slices.ContainsFunc(own.Files, func(f patch.FileChange) bool { return x.Job.Recipe().OnlyTests() || !x.Run.Project.IsTest(f.Path) }) {
		x.History.KeepDraft(x.Now.WithMatches(changes))
	}
}

// demandChange requires a change besides the attempt's own tests: edits that undo each other are no work.
func (x *executor) demandChange(n graph.Node, changes patch.ChangeSet) step.Outcome {
	for _, f := range changes.Files {
		if x.Job.Recipe().OnlyTests() || !x.Tests.JustTests(f) {
			return step.Outcome{}
		}
	}
	return x.Now.Noop(n, "its changes cancel each other out")
}

// keepRed requires that tests of joined parts still fail without their implementation, if the joining changed them.
func (x *executor) keepRed(ctx context.Context, n graph.Node) step.Outcome {
	if !x.Job.Joins {
		return step.Outcome{}
	}
	return x.reds.SeeRedAgain(ctx, n)
}

// phase returns a phase of the current attempt. The caller adds its instructions and its guard.
func (x *executor) phase(n graph.Node, name string, profile mode.Profile) *dialogue.Phase {
	x.Now.Begin(name)
	p := dialogue.NewPhase(x.Module, x.promises, x.prompter)
	p.Node, p.Name, p.Profile, p.Aftermath = n, name, profile, x.diagnosis.afterwards(n, name)
	return p
}
