package pipeline

import (
	"context"
	"fmt"
	"strings"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/step"
	"forge/patch"
)

// syntax says, for the model, where files that it has just changed are no sentences of their language any more, though they
// were in the base. It costs no compiler. changes are in the tree.
func (p *phase) syntax(ctx context.Context, key string, tree step.State, changes patch.ChangeSet) (faults string, o step.Outcome) {
	paths := named(changes)
	if len(paths) == 0 {
		return "", o
	}
	found, err := step.ActivitySyntax.Call(ctx, p.run.Flow, at(p.node), "syntax/"+p.name+"/"+key, step.PathsCall{State: tree, Paths: paths})
	if err != nil {
		return "", unable(ctx, err)
	}
	if len(found) == 0 {
		p.now.parsedAgain(len(paths))
		return "", o
	}
	p.now.noteUnparsed()
	report := gate.Report{Gate: gateSyntax, Verdict: gate.Fail, Executed: len(paths), Findings: found, Summary: fmt.Sprintf("%s cannot be parsed", strings.Join(broken(found), ", "))}
	report.Passed = len(paths) - len(broken(found))
	p.run.Tell(event.GateFinished{Node: p.node.ID, Attempt: p.node.Attempt, Report: report})
	return describe([]gate.Report{report}), o
}

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
