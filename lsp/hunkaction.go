package lsp

import (
	"slices"

	"forge/lsp/document"

	"go.lsp.dev/protocol"

	"forge/api"
)

// hunkActions accept and reject the hunks that are shown where the person is.
func (ac *actions) hunkActions(p *protocol.CodeActionParams) []action {
	folder, err := folderOf(onDisk(ac.folders.current()), string(p.TextDocument.URI))
	if err != nil {
		return nil
	}
	full, _ := document.FilePath(p.TextDocument.URI)
	path, _ := relative(folder, full)
	now, err := ac.folders.read(folder, path)
	if err != nil {
		return nil
	}
	var actions []action
	var files []*review
	for _, h := range ac.placer.placedIn(folder, path, document.NewLines(now.text, ac.folders.docs.Unit)) {
		if !overlap(h.where, p.Range) {
			continue
		}
		actions = append(actions, h.actions(p.Context.Diagnostics)...)
		if !h.conflict && !slices.Contains(files, h.review) {
			files = append(files, h.review)
		}
	}
	for _, r := range files {
		actions = append(actions, action{
			kind: kindHunk, title: "Forge: accept file", command: api.ApplyProposal,
			args: api.ProposalArgs{ProposalID: r.id, Select: &api.Select{Files: []string{path}}},
		})
	}
	return actions
}

// actions are what can be done with a hunk. One in conflict can only be rejected: there is no place for
// it until the person makes one.
func (h placed) actions(context []protocol.Diagnostic) []action {
	one := api.ProposalArgs{ProposalID: h.review.id, Select: &api.Select{Hunks: []string{h.id}}}
	shown := slices.DeleteFunc(slices.Clone(context), func(d protocol.Diagnostic) bool {
		source, _ := d.Source.Get()
		return source != hintSource || d.Code != protocol.String(h.id)
	})
	reject := action{
		kind: kindHunk, title: "Forge: reject hunk " + h.id, command: api.RejectProposal, args: one, diagnostics: shown,
	}
	if h.conflict {
		return []action{reject}
	}
	accept := action{
		kind: kindHunk, title: "Forge: accept hunk " + h.id, command: api.ApplyProposal, args: one, diagnostics: shown,
	}
	return []action{accept, reject}
}

// overlap tells whether two ranges share a line: quick fixes are asked for by the line.
func overlap(a, b protocol.Range) bool {
	return a.Start.Line <= b.End.Line && b.Start.Line <= a.End.Line
}
