package lsp

import (
	"strings"

	"go.lsp.dev/protocol"

	"forge/api"
	"forge/engine/event"
	"forge/engine/gate"
)

// blockage is who says in a document that a run is blocked, and blockedSource the source of that.
const (
	blockage      = "run"
	blockedSource = "forge/" + blockage
)

// block shows why a run cannot go on by itself, and what would help, in the document that it is about. Of a run that is about none the
// person is told otherwise. It goes when the run is taken up, and when another one begins.
func (b *board) block(r *run, end event.RunEnded) {
	if end.State != event.Blocked || r.about.Path == "" || r.reads() {
		return
	}
	reason := end.Reason
	if !strings.Contains(reason, "Blocked: ") {
		reason = "Blocked: " + reason
	}
	b.replace(r.folder, source{name: blockage}, []gate.Finding{{
		Path: r.about.Path, Line: r.about.StartLine, EndLine: r.about.EndLine, Severity: gate.SeverityWarning, Rule: r.ID, Message: reason,
	}})
}

// resumeActions offer to take up the runs that are said to be blocked here.
func resumeActions(p *protocol.CodeActionParams) []action {
	var actions []action
	for _, d := range p.Context.Diagnostics {
		id, named := d.Code.(protocol.String)
		if !isBlockage(d) || !named {
			continue
		}
		actions = append(actions, action{
			kind: kindFix, title: "Forge: go on with the run that is blocked", command: api.Resume, diagnostics: []protocol.Diagnostic{d},
			args: api.ResumeArgs{RunID: string(id)},
		})
	}
	return actions
}

// isBlockage reports whether a diagnostic says that a run is blocked: there is nothing in the document to be mended then.
func isBlockage(d protocol.Diagnostic) bool {
	source, _ := d.Source.Get()
	return source == blockedSource
}
