package lsp

import (
	"path/filepath"
	"strings"

	"go.lsp.dev/uri"

	"forge/api"
	"forge/engine/proposal"
	"forge/patch"
)

// levelName is a rung of the match ladder as the wire knows it: "trailing-space".
func levelName(l patch.Level) string { return strings.ReplaceAll(l.String(), " ", "-") }

// wireProposal is a review as commands return it.
func (f *front) wireProposal(r *review) api.Proposal {
	p := r.view()
	wire := api.Proposal{
		ProposalID: p.ID, RunID: p.RunID, Title: p.Title, State: "closed",
		Files: []api.ProposalFile{}, Gates: []api.Gate{}, Diff: p.Unified(), Unverified: p.Unverified,
	}
	if p.Open() {
		wire.State = "open"
	}
	for _, file := range p.Files {
		wire.Files = append(wire.Files, f.wireFile(r.folder, file))
	}
	for _, report := range p.Gates {
		wire.Gates = append(wire.Gates, api.GateOf(report))
	}
	return wire
}

func (f *front) wireFile(folder Folder, file proposal.File) api.ProposalFile {
	wire := api.ProposalFile{
		URI:  string(f.uriOf(folder, file.Change.Path)),
		Path: file.Change.Path, Kind: api.KindNames[file.Change.Kind], Hunks: []api.Hunk{},
	}
	index := newLines(file.Change.Before, f.server.docs.unit)
	for _, h := range file.Hunks {
		wire.Hunks = append(wire.Hunks, api.Hunk{
			ID: h.ID, Range: *wireRange(index.span(h.Edit.Start, h.Edit.End)), NewText: h.Edit.New,
			Level: levelName(h.Level), Risk: string(h.Risk), State: string(h.State),
		})
	}
	return wire
}

// uriOf is the URI of a file of the folder, as the client writes it where it has it open.
func (f *front) uriOf(folder Folder, path string) uri.URI {
	u := uri.File(filepath.Join(folder.Path, filepath.FromSlash(path)))
	if d, open := f.server.docs.Document(u); open {
		return d.URI
	}
	return u
}
