package pipeline

import (
	"context"
	"fmt"
	"strings"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/step"
	"forge/patch"
)

// gateFormat is told of as a gate, so that people see what was formatted.
const gateFormat = "format"

// format has the files that a phase has changed formatted as their projects want it, before any gate says that they are not. What
// that changes becomes part of the attempt. name is the phase's.
func (a *attempt) format(ctx context.Context, n graph.Node, name string, changes patch.ChangeSet) step.Outcome {
	paths := named(changes)
	if a.run.task.KeepFormat || len(paths) == 0 {
		return step.Outcome{}
	}
	formatted, err := step.Call[patch.ChangeSet](ctx, a.run.Flow, at(n), "format/"+name, step.ActivityFormat, step.PathsCall{State: a.tree, Paths: paths})
	if err != nil {
		return a.run.unable(ctx, err)
	}
	if len(formatted.Files) == 0 {
		return step.Outcome{}
	}
	a.add(formatted)
	a.run.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: gate.Report{
		Gate: gateFormat, Verdict: gate.Pass, Executed: len(paths), Passed: len(paths),
		Summary: digest("formatted "+strings.Join(named(formatted), ", "), 200), Output: formatted.Unified(1),
	}})
	return step.Outcome{}
}

// syntax tells, for the model, where files that it has just changed are no sentences of their language any more, though they
// were in the base. It costs no compiler. changes are in the tree.
func (p *phase) syntax(ctx context.Context, key string, tree step.State, changes patch.ChangeSet) (faults string, o step.Outcome) {
	paths := named(changes)
	if len(paths) == 0 {
		return "", o
	}
	found, err := step.Call[[]gate.Finding](ctx, p.run.Flow, at(p.node), "syntax/"+p.name+"/"+key, step.ActivitySyntax, step.PathsCall{State: tree, Paths: paths})
	if err != nil {
		return "", p.run.unable(ctx, err)
	}
	if len(found) == 0 {
		p.now.mended(len(paths))
		return "", o
	}
	p.now.unparsed = true
	report := gate.Report{Gate: gateSyntax, Verdict: gate.Fail, Executed: len(paths), Findings: found, Summary: fmt.Sprintf("%s cannot be parsed", strings.Join(broken(found), ", "))}
	report.Passed = len(paths) - len(broken(found))
	p.run.Tell(event.GateFinished{Node: p.node.ID, Attempt: p.node.Attempt, Report: report})
	return describe([]gate.Report{report}), o
}

// mended tells that what could not be parsed can be, so that nobody sees a fault that is gone.
func (a *attempt) mended(files int) {
	if a.unparsed {
		a.unparsed = false
		a.run.Tell(event.GateFinished{Node: a.job.node(nodeExecutor), Attempt: a.number, Report: gate.Report{
			Gate: gateSyntax, Verdict: gate.Pass, Executed: files, Passed: files, Summary: "it can be parsed again",
		}})
	}
}

const gateSyntax = "syntax"

// broken are the files of findings, each once.
func broken(found []gate.Finding) []string {
	var paths []string
	seen := map[string]bool{}
	for _, f := range found {
		if !seen[f.Path] {
			seen[f.Path] = true
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// unable is the outcome of a step that could not be made.
func (r *run) unable(ctx context.Context, err error) step.Outcome {
	if ctx.Err() != nil {
		return step.Outcome{Signal: step.Terminal, Reason: "cancelled"}
	}
	return step.Outcome{Signal: step.NeedsHuman, Reason: err.Error()}
}
