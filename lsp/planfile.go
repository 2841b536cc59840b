package lsp

import (
	"context"
	"path"

	"go.lsp.dev/uri"

	"forge/engine/gate"
	"forge/engine/plan"
	"forge/lsp/editor"
	"forge/lsp/review"
)

// planFiles shows the faults of plans that users edit, as diagnostics in the files.
type planFiles struct {
	folders *editor.Folders
	board   *review.Board
	engine  PlanCommands // nil: nothing is known of commands
}

// PlanCommands knows which commands of plans can be run.
type PlanCommands interface {
	RefusesCommand(ctx context.Context, root string, argv []string) string
}

// planPattern matches plan files, relative to their folder.
const planPattern = ".forge/plans/*.json"

// observe checks a plan after each change. The faults of a closed file go.
func (p *planFiles) observe(u uri.URI, what editor.BufferEvent) {
	file, ok := editor.FilePath(u)
	folder, err := editor.FolderOf(editor.OnDisk(p.folders.Current()), string(u))
	if !ok || err != nil {
		return
	}
	name, inside := editor.Relative(folder, file)
	if is, _ := path.Match(planPattern, name); !is || !inside {
		return
	}
	var findings []gate.Finding
	if d, open := p.folders.Docs.Document(u); open && what != editor.Closed {
		_, faults := plan.Read([]byte(d.Text), p.refuses(folder))
		for _, f := range faults {
			finding := gate.Finding{Path: name, Line: f.Line, Severity: gate.SeverityError, Rule: "plan", Message: f.Message}
			if f.Warning {
				finding.Severity = gate.SeverityWarning
			}
			findings = append(findings, finding)
		}
	}
	p.board.Replace(folder, review.PlanSource(name), findings)
}

// refuses returns what knows the commands that cannot be run in a folder.
func (p *planFiles) refuses(folder editor.Folder) func(argv []string) string {
	if p.engine == nil {
		return nil
	}
	return func(argv []string) string { return p.engine.RefusesCommand(context.Background(), folder.Path, argv) }
}
