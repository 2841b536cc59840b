package dialogue

import (
	"context"
	"fmt"
	"strings"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/pipeline/work"
	"forge/engine/step"
	"forge/patch"
)

// syntax describes, for the model, new syntax errors in the files that it has just changed, compared with the base. It
// needs no compiler. changes are in the tree.
func (p *Phase) syntax(ctx context.Context, key string, tree step.State, changes patch.ChangeSet) (faults string, o step.Outcome) {
	paths := work.Named(changes)
	if len(paths) == 0 {
		return "", o
	}
	found, err := step.ActivitySyntax.Call(ctx, p.Run.Flow, work.At(p.Node), "syntax/"+p.Name+"/"+key, step.PathsCall{State: tree, Paths: paths})
	if err != nil {
		return "", work.Unable(ctx, err)
	}
	if len(found) == 0 {
		p.Now.ParsedAgain(len(paths))
		return "", o
	}
	p.Now.NoteUnparsed()
	report := gate.Report{Gate: work.GateSyntax, Verdict: gate.Fail, Executed: len(paths), Findings: found, Summary: fmt.Sprintf("%s cannot be parsed", strings.Join(broken(found), ", "))}
	report.Passed = len(paths) - len(broken(found))
	p.Run.Emit(event.GateFinished{Node: p.Node.ID, Attempt: p.Node.Attempt, Report: report})
	return work.Describe([]gate.Report{report}), o
}

// broken returns the files of findings, each once.
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
