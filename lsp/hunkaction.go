package lsp

import (
	"slices"

	"go.lsp.dev/protocol"

	"forge/api"
	"forge/lsp/editor"
	"forge/lsp/review"
)

// hunkActions accept and reject the hunks that are shown where the user is.
func (ac *actions) hunkActions(p *protocol.CodeActionParams) []action {
	folder, err := editor.FolderOf(editor.OnDisk(ac.folders.Current()), string(p.TextDocument.URI))
	if err != nil {
		return nil
	}
	full, _ := editor.FilePath(p.TextDocument.URI)
	path, _ := editor.Relative(folder, full)
	now, err := ac.folders.Read(folder, path)
	if err != nil {
		return nil
	}
	var actions []action
	var files []*review.Review
	for _, h := range ac.placer.PlacedIn(folder, path, editor.NewLines(now.Text, ac.folders.Docs.Unit)) {
		if !overlap(h.Where, p.Range) {
			continue
		}
		actions = append(actions, actionsOn(h, p.Context.Diagnostics)...)
		if !h.Conflict && !slices.Contains(files, h.Review) {
			files = append(files, h.Review)
		}
	}
	for _, r := range files {
		actions = append(actions, action{
			kind: kindHunk, title: "Forge: accept file", command: api.ApplyProposal,
			args: api.ProposalArgs{ProposalID: r.ID, Select: &api.Select{Files: []string{path}}},
		})
	}
	return actions
}

// actionsOn are what can be done with a hunk. One in conflict can only be rejected: there is no place for
// it until the user makes one.
func actionsOn(h review.Placed, context []protocol.Diagnostic) []action {
	one := api.ProposalArgs{ProposalID: h.Review.ID, Select: &api.Select{Hunks: []string{h.ID}}}
	shown := slices.DeleteFunc(slices.Clone(context), func(d protocol.Diagnostic) bool {
		source, _ := d.Source.Get()
		return source != review.HintSource || d.Code != protocol.String(h.ID)
	})
	reject := action{
		kind: kindHunk, title: "Forge: reject hunk " + h.ID, command: api.RejectProposal, args: one, diagnostics: shown,
	}
	if h.Conflict {
		return []action{reject}
	}
	accept := action{
		kind: kindHunk, title: "Forge: accept hunk " + h.ID, command: api.ApplyProposal, args: one, diagnostics: shown,
	}
	return []action{accept, reject}
}

// overlap reports whether two ranges share a line: editors request quick fixes by the line.
func overlap(a, b protocol.Range) bool {
	return a.Start.Line <= b.End.Line && b.Start.Line <= a.End.Line
}
