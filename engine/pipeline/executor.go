package pipeline

import (
	"context"
	"fmt"
	"slices"

	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/mode"
	"forge/engine/prompt"
	"forge/engine/step"
)

const answerTokens = 16384

// The phases of an attempt: of tests, and of the implementation.
const nameTests, nameImplementation = "tests", "implementation"

// execute is one attempt on a clean tree. Parts that go together are put together, and nothing else is done.
func (m *module) execute(ctx context.Context, n graph.Node) graph.Outcome {
	m.now.start(n.Attempt)
	m.history.decided, m.history.wanting = false, ""
	if m.history.judgedBy(n.Attempt) > 0 {
		return m.judgeAgain(ctx, n)
	}
	done, o := false, step.Outcome{}
	if m.job.joins {
		done, o = m.join(ctx, n)
	}
	if !done && o.Signal == step.Success {
		o = m.attemptChange(ctx, n)
	}
	m.now.reportWork(n, o)
	if o.Signal != step.Success {
		m.keepUnfinished(ctx, n)
		return m.again(ctx, n, o)
	}
	return graph.Outcome{Status: graph.Done}
}

// attemptChange has the change written: tests that are seen red where the work has some, then the implementation.
func (m *module) attemptChange(ctx context.Context, n graph.Node) step.Outcome {
	way := m.job.way()
	if way.RedTests {
		if o := m.redTests(ctx, n); o.Signal != step.Success {
			return o
		}
	}
	tested := len(m.now.tree.Changes)
	if o := m.implement(ctx, n, way); o.Signal != step.Success {
		return o
	}
	if o := m.now.onlyDocuments(ctx, n); o.Signal != step.Success { // before formatters touch what models have not
		return o
	}
	if o := m.now.format(ctx, n, "implementation", since(m.now.tree, tested)); o.Signal != step.Success {
		return o
	}
	return m.conclude(ctx, n)
}

// conclude takes down what the attempt comes to: what differs from the snapshot before any gate had a chance to leave something behind.
func (m *module) conclude(ctx context.Context, n graph.Node) step.Outcome {
	changes, o := m.now.write(ctx, n, "result")
	if o.Signal != step.Success {
		return o
	}
	if o := m.demandChange(n, changes.Since(m.begin.given)); o.Signal != step.Success {
		return o
	}
	m.history.noteResult(changes)
	m.now.changes = m.now.withMatches(changes)
	m.history.keepDraft(m.now.changes)
	return m.keepRed(ctx, n)
}

// keepRed sees to it that tests of parts which were changed when the parts were put together still fail without what they are for.
func (m *module) keepRed(ctx context.Context, n graph.Node) step.Outcome {
	if !m.job.joins {
		return step.Outcome{}
	}
	return m.seeRedAgain(ctx, n)
}

// again sends a retryable fault back to explore, until its attempts are used up.
func (m *module) again(ctx context.Context, n graph.Node, o step.Outcome) graph.Outcome {
	if o.Signal == step.Retryable {
		if err := m.judge(ctx, n, o.Reason, []gate.Report{faultReport(nodeExecutor, o.Reason)}); err != nil {
			return graph.Outcome{Status: graph.Blocked, Reason: err.Error()}
		}
	}
	if o.Signal == step.Retryable && m.now.number >= m.run.attempts() {
		m.history.usedUp = true
		if m.now.idle != "" { // nothing failed, and nothing was done
			return graph.Outcome{Status: graph.Blocked, Reason: m.gaveUp(m.now.idle)}
		}
		return graph.Outcome{Status: graph.Failed, Reason: m.gaveUp(o.Reason)}
	}
	if o.Signal == step.Retryable {
		if end, ends := m.history.endRepeat(n, o.Reason); ends {
			return end
		}
	}
	if m.history.wanting != "" {
		o.Reason += fmt.Sprintf(". Answer it, and the run goes on: forge resume %s --answer \"…\"", m.run.Flow.RunID())
	}
	return outcome(o, graph.Failure)
}

func (m *module) gaveUp(reason string) string {
	return fmt.Sprintf("gave up after %d attempts: %s", m.now.number, reason)
}

// implement brings the implementation into the tree.
func (m *module) implement(ctx context.Context, n graph.Node, way mode.Way) step.Outcome {
	p := m.phase(n, nameImplementation, way.Profile)
	p.guard, p.throughTests = m.rules().Explained, !m.job.joins && !m.job.recipe().OnlyTests()
	switch {
	case m.job.joins:
		p.guard = m.fitting
	case m.job.recipe().OnlyTests():
		p.guard = m.rules().OnlyTests
	case way.RedTests:
		p.guard = m.rules().Frozen
	}
	p.instructions = m.instructions(way)
	if len(m.run.task.Direct) > 0 {
		return p.directly(ctx)
	}
	before, ask := len(m.now.tree.Changes), p.once
	if way.Profile == mode.ToolUse {
		ask = p.work
	}
	o := ask(ctx)
	if !way.RedTests {
		m.tested.excuse = p.told
	}
	if o.Signal == step.Success && len(since(m.now.tree, before).Files) == 0 {
		return m.now.noop(n, p.told)
	}
	return o
}

// document is what the executor is shown; the reason of the last attempt stands at its end.
func (m *module) document(ctx context.Context, n graph.Node, name, instructions string) (prompt.Document, error) {
	sections, err := m.context(ctx, n, "context/"+name, m.now.tree)
	if err != nil {
		return prompt.Document{}, err
	}
	sections = append(sections, m.run.specification()...)
	if name == nameImplementation {
		sections = append(sections, m.tested.seenRed()...)
	}
	sections = slices.Concat(sections, m.known.findings(), m.begin.clashing(), m.afterwards(n))
	return m.compose(n.ID, instructions, sections...), nil
}
