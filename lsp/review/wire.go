package review

import (
	"strings"

	"forge/api"
	"forge/engine/proposal"
	"forge/lsp/editor"
	"forge/patch"
)

// levelName is a rung of the match ladder as the wire knows it: "trailing-space".
func levelName(l patch.Level) string { return strings.ReplaceAll(l.String(), " ", "-") }

// wireProposal is a review as commands return it.
func (rv *Reviewer) wireProposal(r *Review) api.Proposal {
	p := r.view()
	wire := api.Proposal{
		ProposalID: p.ID, RunID: p.RunID, Title: p.Title, State: "closed",
		Files: []api.ProposalFile{}, Gates: []api.Gate{}, Diff: p.Unified(), Unverified: p.Unverified,
	}
	if p.Open() {
		wire.State = "open"
	}
	for _, file := range p.Files {
		wire.Files = append(wire.Files, rv.wireFile(r.folder, file))
	}
	for _, report := range p.Gates {
		wire.Gates = append(wire.Gates, api.GateOf(report))
	}
	return wire
}

func (rv *Reviewer) wireFile(folder editor.Folder, file proposal.File) api.ProposalFile {
	wire := api.ProposalFile{
		URI:  string(rv.folders.URIOf(folder, file.Change.Path)),
		Path: file.Change.Path, Kind: api.KindNames[file.Change.Kind], Hunks: []api.Hunk{},
	}
	index := editor.NewLines(file.Change.Before, rv.folders.Docs.Unit)
	for _, h := range file.Hunks {
		wire.Hunks = append(wire.Hunks, api.Hunk{
			ID: h.ID, Range: *editor.WireRange(index.Span(h.Edit.Start, h.Edit.End)), NewText: h.Edit.New,
			Level: levelName(h.Level), Risk: string(h.Risk), State: string(h.State),
		})
	}
	return wire
}
