package review

import (
	"context"
	"net/url"
	"strings"

	"forge/api"
	"forge/engine/proposal"
	"forge/lsp/editor"
	"forge/lsp/transport"
	"forge/patch"
)

// wireProposal is a review as commands return it.
func (rv *Reviewer) wireProposal(r *Review) api.Proposal {
	p := r.view()
	wire := api.Proposal{
		ProposalID: p.ID, RunID: p.RunID, Title: p.Title, Folder: string(r.folder.URI), Stored: r.stored, State: "closed",
		Files: []api.ProposalFile{}, Gates: api.List(p.Gates, api.GateOf), Checks: wireChecks(r), Diff: p.Unified(), Explanation: p.Explanation, Unverified: p.Unverified,
	}
	if p.Open() {
		wire.State = "open"
	}
	now, _ := textsOf(rv.folders, r.folder, p) // without them, the hunks have no place
	for _, file := range p.Files {
		wire.Files = append(wire.Files, rv.wireFile(r, p, file, now))
	}
	return wire
}

func (rv *Reviewer) wireFile(r *Review, p *proposal.Proposal, file proposal.File, now texts) api.ProposalFile {
	path := file.Change.Path
	wire := api.ProposalFile{
		URI: string(rv.folders.URIOf(r.folder, path)), Path: path, From: file.Change.From, Kind: api.KindNames[file.Change.Kind], Hunks: []api.Hunk{},
		State: string(proposal.StateOf(file)), Amended: file.Amended, Merged: file.Merged, Base: DocumentURI(p.ID, DocumentBase, path), Proposed: DocumentURI(p.ID, DocumentProposed, path),
	}
	places := map[string]proposal.Placement{}
	if now != nil {
		_, placed, _ := p.Proposed(path, now.lookup) // lookup has no error, and the path is one of the proposal
		for _, at := range placed {
			places[at.HunkID] = at
		}
	}
	index := editor.NewLines(file.Change.Before, rv.folders.Docs.Unit)
	for _, h := range file.Hunks {
		wire.Adds += len(patch.SplitLines(h.Edit.New))
		wire.Removes += len(patch.SplitLines(file.Change.Before[h.Edit.Start:h.Edit.End]))
		hunk := api.Hunk{
			ID: h.ID, Range: *editor.WireRange(index.Span(h.Edit.Start, h.Edit.End)), NewText: h.Edit.New,
			Level: levelName(h.Level), Risk: string(h.Risk), State: string(h.State), Note: h.Note,
		}
		if at, placed := places[h.ID]; placed {
			hunk.Lines, hunk.At = &api.Span{Start: at.Start, End: at.End}, &api.Span{Start: at.Now.Start, End: at.Now.End}
		}
		wire.Hunks = append(wire.Hunks, hunk)
	}
	return wire
}

// levelName is a rung of the match ladder as the wire knows it: "trailing-space".
func levelName(l patch.Level) string { return strings.ReplaceAll(l.String(), " ", "-") }

// wireChecks reports whether what the user takes of a proposal was checked.
func wireChecks(r *Review) api.Checks {
	of, reports := r.view().Checked()
	wire := api.Checks{Of: string(of), State: "unchecked", Gates: api.List(reports, api.GateOf)}
	switch {
	case r.isChecking():
		wire.State = "checking"
		if of == proposal.Part {
			wire.Note = "Gates judge this part of the change now."
		}
	case len(reports) > 0:
		wire.State = "checked"
	case of == proposal.Part:
		wire.Note = "Gates have judged the whole change, not this part of it."
	case of == proposal.Amended:
		wire.Note = "Gates have not judged this change since you edited it."
	default:
		wire.Note = "No gate has judged this change."
	}
	return wire
}

// The documents of a file of a proposal, for a diff editor.
const (
	DocumentBase     = "base"     // the text as it is now
	DocumentProposed = "proposed" // with all hunks that are not rejected
)

// DocumentURI is the address of a document of a proposal.
func DocumentURI(id, which, path string) string {
	return (&url.URL{Scheme: "forge", Host: "proposal", Path: "/" + id + "/" + which + "/" + path}).String()
}

// Document returns the text of a document of a proposal.
func (rv *Reviewer) Document(ctx context.Context, id, which, path string) (string, error) {
	r, err := rv.review(ctx, id)
	if err != nil {
		return "", err
	}
	p := r.view()
	now, err := textsOf(rv.folders, r.folder, p)
	if err != nil {
		return "", err
	}
	text, _, err := p.Proposed(path, now.lookup)
	if err != nil {
		return "", transport.InvalidParams("%v", err)
	}
	base := now.base(p, path)
	if which == DocumentBase {
		text = base.Text
	}
	return base.Shown(strings.TrimPrefix(text, editor.ByteOrderMark)), nil
}

// base is a file of a proposal as it is now: under its old path while it is not moved.
func (t texts) base(p *proposal.Proposal, path string) editor.Current {
	for _, file := range p.Files {
		if file.Change.Path == path && !t[path].Exists && file.Change.From != "" {
			path = file.Change.From
		}
	}
	return t[path]
}
