package review

import (
	"strings"

	"go.lsp.dev/protocol"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/lsp/editor"
)

// blockage is who says in a document that a run is blocked, and blockedSource the source of that.
const (
	blockage      = "run"
	BlockedSource = "forge/" + blockage
)

// block shows why a run cannot continue by itself, and what would help, in the document that the run is about. A run without a
// document reports this elsewhere. The diagnostic is cleared when the run is resumed, and when another one begins.
func (b *Board) block(r *editor.Run, end event.RunEnded) {
	if end.State != event.Blocked || r.About.Path == "" || r.Reads() {
		return
	}
	reason := end.Reason
	if !strings.Contains(reason, "Blocked: ") {
		reason = "Blocked: " + reason
	}
	b.Replace(r.Folder, Source{Name: blockage}, []gate.Finding{{
		Path: r.About.Path, Line: r.About.StartLine, EndLine: r.About.EndLine, Severity: gate.SeverityWarning, Rule: r.ID, Message: reason,
	}})
}

// IsBlockage reports whether a diagnostic says that a run is blocked: there is nothing in the document to be fixed then.
func IsBlockage(d protocol.Diagnostic) bool {
	source, _ := d.Source.Get()
	return source == BlockedSource
}
