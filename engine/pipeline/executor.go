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
	"forge/patch"
)

const answerTokens = 16384

// The phases of an attempt: of tests, and of the implementation.
const nameTests, nameImplementation = "tests", "implementation"

// execute is one attempt on a clean tree. Parts that go together are put together, and nothing else is done.
func (m *module) execute(ctx context.Context, n graph.Node) graph.Outcome {
	m.attempt, m.idle, m.worked, m.decided = n.Attempt, "", worked{}, false
	m.repeats = 0
	m.tree, m.edits, m.resulted, m.wanting = m.start, nil, "", ""
	if m.judgedBy(n.Attempt) > 0 {
		return m.judgeAgain(ctx, n)
	}
	done, o := false, step.Outcome{}
	if m.joins {
		done, o = m.join(ctx, n)
	}
	if !done && o.Signal == step.Success {
		o = m.attemptChange(ctx, n)
	}
	m.reportWork(n, o)
	if o.Signal != step.Success {
		m.keepUnfinished(ctx, n)
		return m.again(ctx, n, o)
	}
	return graph.Outcome{Status: graph.Done}
}

// attemptChange has the change written: tests that are seen red where the work has some, then the implementation.
func (m *module) attemptChange(ctx context.Context, n graph.Node) step.Outcome {
	way := m.way()
	if way.RedTests {
		if o := m.redTests(ctx, n); o.Signal != step.Success {
			return o
		}
	}
	tested := len(m.tree.Changes)
	if o := m.implement(ctx, n, way); o.Signal != step.Success {
		return o
	}
	if o := m.onlyDocuments(ctx, n); o.Signal != step.Success { // before formatters touch what models have not
		return o
	}
	if o := m.format(ctx, n, "implementation", since(m.tree, tested)); o.Signal != step.Success {
		return o
	}
	return m.conclude(ctx, n)
}

// conclude takes down what the attempt comes to: what differs from the snapshot before any gate had a chance to leave something behind.
func (m *module) conclude(ctx context.Context, n graph.Node) step.Outcome {
	changes, o := m.write(ctx, n, "result")
	if o.Signal != step.Success {
		return o
	}
	if o := m.demandChange(n, changes.Since(m.given)); o.Signal != step.Success {
		return o
	}
	m.noteResult(changes)
	m.changes = m.withMatches(changes)
	m.keepDraft(m.changes)
	return m.keepRed(ctx, n)
}

// keepRed sees to it that tests of parts which were changed when the parts were put together still fail without what they are for.
func (m *module) keepRed(ctx context.Context, n graph.Node) step.Outcome {
	if !m.joins {
		return step.Outcome{}
	}
	return m.seeRedAgain(ctx, n)
}

// withMatches gives the files of an attempt's result the matches of the edits that went into them: how
// exactly each fitted is for the person to see.
func (m *module) withMatches(changes patch.ChangeSet) patch.ChangeSet {
	for i := range changes.Files {
		for _, set := range m.tree.Changes {
			for _, f := range set.Files {
				if f.Path == changes.Files[i].Path {
					changes.Files[i].Matches = append(changes.Files[i].Matches, f.Matches...)
				}
			}
		}
	}
	return changes
}

// again sends a retryable fault back to explore, until its attempts are used up.
func (m *module) again(ctx context.Context, n graph.Node, o step.Outcome) graph.Outcome {
	if o.Signal == step.Retryable {
		if err := m.judge(ctx, n, o.Reason, []gate.Report{faultReport(nodeExecutor, o.Reason)}); err != nil {
			return graph.Outcome{Status: graph.Blocked, Reason: err.Error()}
		}
	}
	if o.Signal == step.Retryable && m.attempt >= m.attempts() {
		m.usedUp = true
		if m.idle != "" { // nothing failed, and nothing was done
			return graph.Outcome{Status: graph.Blocked, Reason: m.gaveUp(m.idle)}
		}
		return graph.Outcome{Status: graph.Failed, Reason: m.gaveUp(o.Reason)}
	}
	if o.Signal == step.Retryable {
		if end, ends := m.endRepeat(n, o.Reason); ends {
			return end
		}
	}
	if m.wanting != "" {
		o.Reason += fmt.Sprintf(". Answer it, and the run goes on: forge resume %s --answer \"…\"", m.Flow.RunID())
	}
	return outcome(o, graph.Failure)
}

func (m *module) gaveUp(reason string) string {
	return fmt.Sprintf("gave up after %d attempts: %s", m.attempt, reason)
}

// implement brings the implementation into the tree.
func (m *module) implement(ctx context.Context, n graph.Node, way mode.Way) step.Outcome {
	p := phase{module: m, node: n, name: nameImplementation, profile: way.Profile, guard: m.rules().Explained, throughTests: !m.joins && !m.recipe().OnlyTests()}
	switch {
	case m.joins:
		p.guard = m.fitting
	case m.recipe().OnlyTests():
		p.guard = m.rules().OnlyTests
	case way.RedTests:
		p.guard = m.rules().Frozen
	}
	p.instructions = m.instructions(way)
	if len(m.task.Direct) > 0 {
		return p.directly(ctx)
	}
	before, ask := len(m.tree.Changes), p.once
	if way.Profile == mode.ToolUse {
		ask = p.work
	}
	o := ask(ctx)
	if !way.RedTests {
		m.excuse = p.told
	}
	if o.Signal == step.Success && len(since(m.tree, before).Files) == 0 {
		return m.noop(n, p.told)
	}
	return o
}

// write has the tree of the attempt made, and gives what differs from the snapshot. name is of what was
// written last.
func (m *module) write(ctx context.Context, n graph.Node, name string) (patch.ChangeSet, step.Outcome) {
	changes, err := step.Call[patch.ChangeSet](ctx, m.Flow, at(n), "write/"+name, step.ActivityWrite, m.tree)
	if err != nil {
		return changes, step.Outcome{Signal: step.NeedsHuman, Reason: err.Error()}
	}
	return changes, step.Outcome{}
}

// document is what the executor is shown; the reason of the last attempt stands at its end.
func (m *module) document(ctx context.Context, n graph.Node, name, instructions string) (prompt.Document, error) {
	sections, err := m.context(ctx, n, "context/"+name, m.tree)
	if err != nil {
		return prompt.Document{}, err
	}
	sections = append(sections, m.specification()...)
	if name == nameImplementation {
		sections = append(sections, m.seenRed()...)
	}
	sections = slices.Concat(sections, m.findings(), m.clashing(), m.afterwards(n))
	return m.compose(n.ID, instructions, sections...), nil
}
