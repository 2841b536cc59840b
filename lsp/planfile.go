package lsp

import (
	"context"
	"fmt"
	"path"
	"strings"

	"go.lsp.dev/uri"

	"forge/engine/gate"
	"forge/engine/plan"
	"forge/lsp/editor"
	"forge/lsp/review"
	"forge/lsp/transport"
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

// isPlan returns the folder of a plan file, and its name relative to that.
func isPlan(folders *editor.Folders, u uri.URI) (folder editor.Folder, name string, is bool) {
	file, ok := editor.FilePath(u)
	folder, err := editor.FolderOf(editor.OnDisk(folders.Current()), string(u))
	if !ok || err != nil {
		return folder, "", false
	}
	name, inside := editor.Relative(folder, file)
	matches, _ := path.Match(planPattern, name)
	return folder, name, matches && inside
}

// observe checks a plan after each change. The faults of a closed file go.
func (p *planFiles) observe(u uri.URI, what editor.BufferEvent) {
	folder, name, is := isPlan(p.folders, u)
	if !is {
		return
	}
	var findings []gate.Finding
	if d, open := p.folders.Docs.Document(u); open && what != editor.Closed {
		_, faults := plan.Read([]byte(d.Text), p.refuses(folder))
		for _, f := range faults {
			finding := gate.Finding{Path: name, Line: f.Line, Column: f.Column, Severity: gate.SeverityError, Rule: "plan", Message: f.Message}
			if f.Warning {
				finding.Severity = gate.SeverityWarning
			}
			findings = append(findings, finding)
		}
	}
	p.board.Replace(folder, review.PlanSource(name), findings)
}

// read returns the plan in a file of a folder, as the editor has it. The error names its faults, with their lines and columns.
func (p *planFiles) read(folder editor.Folder, u uri.URI) (plan.File, error) {
	file, _ := editor.FilePath(u)
	name, inside := editor.Relative(folder, file)
	if !inside {
		return plan.File{}, transport.InvalidParams("planFile: %s is not in the folder %s", u, folder.URI)
	}
	now, err := p.folders.Read(folder, name)
	if err != nil {
		return plan.File{}, transport.InvalidParams("planFile: %v", err)
	}
	if !now.Exists {
		return plan.File{}, transport.InvalidParams("planFile: %s does not exist", name)
	}
	made, faults := plan.Read([]byte(now.Text), nil)
	var errors strings.Builder
	for _, f := range faults {
		if !f.Warning {
			fmt.Fprintf(&errors, "\n%s:%s", name, f)
		}
	}
	if plan.Broken(faults) {
		return made, transport.InvalidParams("planFile: the plan cannot be carried out:%s", errors.String())
	}
	return made, nil
}

// refuses returns a function that returns why a command cannot be run in a folder; nil without an engine.
func (p *planFiles) refuses(folder editor.Folder) func(argv []string) string {
	if p.engine == nil {
		return nil
	}
	return func(argv []string) string { return p.engine.RefusesCommand(context.Background(), folder.Path, argv) }
}
