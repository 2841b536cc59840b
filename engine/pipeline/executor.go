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

// execute is one attempt: a clean tree, tests that are seen red where the work has some, then the implementation. Its result
// is what differs from the snapshot before any gate had a chance to leave something behind.
func (r *run) execute(ctx context.Context, n graph.Node) graph.Outcome {
	r.attempt, r.idle = n.Attempt, ""
	r.tree, r.edits, r.resulted = r.base(), nil, ""
	way := r.way()
	if way.RedTests {
		if o := r.redTests(ctx, n); o.Signal != step.Success {
			return r.again(ctx, n, o)
		}
	}
	tested := len(r.tree.Changes)
	if o := r.implement(ctx, n, way); o.Signal != step.Success {
		return r.again(ctx, n, o)
	}
	if o := r.format(ctx, n, "implementation", since(r.tree, tested)); o.Signal != step.Success {
		return r.again(ctx, n, o)
	}
	changes, o := r.write(ctx, n, "result")
	if o.Signal != step.Success {
		return r.again(ctx, n, o)
	}
	if o := r.demandChange(n, changes); o.Signal != step.Success {
		return r.again(ctx, n, o)
	}
	if o := r.newResult(n, changes); o.Signal != step.Success {
		return r.again(ctx, n, o)
	}
	r.changes = r.withMatches(changes)
	return graph.Outcome{Status: graph.Done}
}

// withMatches gives the files of an attempt's result the matches of the edits that went into them: how
// exactly each fitted is for the person to see.
func (r *run) withMatches(changes patch.ChangeSet) patch.ChangeSet {
	for i := range changes.Files {
		for _, set := range r.tree.Changes {
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
func (r *run) again(ctx context.Context, n graph.Node, o step.Outcome) graph.Outcome {
	if o.Signal == step.Retryable {
		if err := r.judge(ctx, n, o.Reason, []gate.Report{faultReport(nodeExecutor, o.Reason)}); err != nil {
			return graph.Outcome{Status: graph.Blocked, Reason: err.Error()}
		}
	}
	if o.Signal == step.Retryable && r.attempt >= r.attempts() {
		r.usedUp = true
		if r.idle != "" { // nothing failed, and nothing was done
			return graph.Outcome{Status: graph.Blocked, Reason: r.gaveUp(r.idle)}
		}
		return graph.Outcome{Status: graph.Failed, Reason: r.gaveUp(o.Reason)}
	}
	return outcome(o, graph.Failure)
}

func (r *run) gaveUp(reason string) string {
	return fmt.Sprintf("gave up after %d attempts: %s", r.attempt, reason)
}

// implement brings the implementation into the tree.
func (r *run) implement(ctx context.Context, n graph.Node, way mode.Way) step.Outcome {
	p := phase{run: r, node: n, name: "implementation", profile: way.Profile, guard: r.growing}
	if way.RedTests || r.task.Recipe == Refactor {
		p.guard = r.frozen
	}
	if r.task.Recipe.OnlyTests() {
		p.guard = r.onlyTests
	}
	p.instructions = r.instructions(way)
	if len(r.task.Direct) > 0 {
		return p.directly(ctx)
	}
	before, ask := len(r.tree.Changes), p.once
	if way.Profile == mode.ToolUse {
		ask = p.work
	}
	o := ask(ctx)
	if o.Signal == step.Success && len(since(r.tree, before).Files) == 0 {
		return r.noop(n, p.told)
	}
	return o
}

// write has the tree of the attempt made, and gives what differs from the snapshot. name is of what was
// written last.
func (r *run) write(ctx context.Context, n graph.Node, name string) (patch.ChangeSet, step.Outcome) {
	changes, err := step.Call[patch.ChangeSet](ctx, r.Flow, at(n), "write/"+name, step.ActivityWrite, r.tree)
	if err != nil {
		return changes, step.Outcome{Signal: step.NeedsHuman, Reason: err.Error()}
	}
	return changes, step.Outcome{}
}

// document is what the executor is shown; the reason of the last attempt stands at its end.
func (r *run) document(ctx context.Context, n graph.Node, name, instructions string) (prompt.Document, error) {
	sections, err := r.context(ctx, n, "context/"+name, r.tree)
	if err != nil {
		return prompt.Document{}, err
	}
	sections = slices.Concat(sections, r.specification(), r.findings(), r.afterwards(n))
	return r.compose(n.ID, instructions, sections...), nil
}
