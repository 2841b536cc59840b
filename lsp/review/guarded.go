package review

import (
	"context"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"forge/api"
	"forge/engine/proposal"
)

// applyAll is apply for a yes to everything. A client that asks about annotated edits shows the files that such a yes does not
// cover, with the reason, and the user decides there. For any other client they are left out, to be accepted by
// themselves: an editor, git, a shell or the next model acts on them.
func (ap *applier) applyAll(ctx context.Context, r *Review, ids []string, confirmAll bool) (api.ApplyResult, error) {
	can := ap.session.Features()
	if can.Annotations && can.DocumentChanges {
		return ap.apply(ctx, r, ids, confirmAll)
	}
	rest, left := covered(r.view(), ids)
	result, err := ap.apply(ctx, r, rest, confirmAll)
	if err != nil || len(left) == 0 {
		return result, err
	}
	var lines []string
	for _, file := range left {
		why := "left out: " + file.Control.Reason + "; look at it, and accept it by itself"
		result.Files = append(result.Files, api.FileState{
			URI: string(ap.folders.URIOf(r.folder, file.Change.Path)), State: "skipped", Message: why,
		})
		lines = append(lines, file.Change.Path+" was "+why)
	}
	if !can.Rich {
		ap.dialog.Notify(ctx, protocol.MessageTypeWarning, "Forge: "+strings.Join(lines, "\n"))
	}
	return result, nil
}

// covered parts hunks into those that a yes to everything covers, and the files of the others.
func covered(p *proposal.Proposal, ids []string) (rest []string, left []proposal.File) {
	rest = slices.Clone(ids)
	for _, file := range p.Guarded() {
		some := false
		for _, h := range file.Hunks {
			if at := slices.Index(rest, h.ID); at >= 0 && h.State != proposal.Accepted {
				rest, some = slices.Delete(rest, at, at+1), true
			}
		}
		if some {
			left = append(left, file)
		}
	}
	return rest, left
}

// everything reports whether a command means all of a proposal, and none of it by name.
func everything(s *api.Select) bool { return s == nil || len(s.Files) == 0 && len(s.Hunks) == 0 }
