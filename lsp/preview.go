package lsp

import (
	"context"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"forge/api"
	"forge/engine/proposal"
	"forge/internal/inert"
)

// preview answers forge.proposal.preview. A client that can ask about annotated edits shows the whole
// edit and lets the person pick; any other shows the hunks as hints with quick fixes.
func (f *front) preview(ctx context.Context, a *api.ProposalArgs) (api.ApplyResult, error) {
	r, ids, err := f.chosen(ctx, a)
	if err != nil {
		return api.ApplyResult{}, err
	}
	can := f.server.features()
	if can.annotations || !can.applyEdit {
		return f.apply(ctx, r, ids, true)
	}
	f.hint(r)
	if !can.rich {
		f.server.Go("offer "+r.id, func(ctx context.Context) { f.askAboutHints(ctx, r) })
	}
	return f.outcome(r, ids, nil, ""), nil
}

// offer shows the person a proposal that is new. Rich clients heard of it by an event and have a user
// interface of their own.
func (f *front) offer(id string) {
	r, ok := f.reviews.find(id)
	can := f.server.features()
	if !ok || can.rich {
		return
	}
	f.server.Go("offer "+id, func(ctx context.Context) {
		switch {
		case !can.applyEdit:
			f.tell(ctx, protocol.MessageTypeWarning, "Forge: "+describeReview(r)+" "+errCannotApply.Error())
		case can.annotations:
			f.askAboutPreview(ctx, r)
		default:
			f.hint(r)
			f.askAboutHints(ctx, r)
		}
	})
}

// hint shows the proposal's hunks as hints in the documents.
func (f *front) hint(r *review) {
	r.showHints(true)
	f.board.touchReview(r)
}

// The answers a person can give when a proposal is ready.
const (
	answerPreview  = "Preview"
	answerApplyAll = "Apply all"
	answerShow     = "Show"
	answerReject   = "Reject"
)

func (f *front) askAboutPreview(ctx context.Context, r *review) {
	switch f.choose(ctx, describeReview(r), answerPreview, answerReject) {
	case answerPreview:
		f.applyOpen(ctx, r, true)
	case answerReject:
		f.rejectOpen(r)
	}
}

func (f *front) askAboutHints(ctx context.Context, r *review) {
	switch f.choose(ctx, describeReview(r), answerApplyAll, answerShow, answerReject) {
	case answerApplyAll:
		f.applyOpen(ctx, r, false)
	case answerShow:
		f.show(ctx, r)
	case answerReject:
		f.rejectOpen(r)
	}
}

// choose asks with a message and returns the title that was picked; nothing for a person who dismissed
// it and for a client that failed: the proposal stays open.
func (f *front) choose(ctx context.Context, text string, titles ...string) string {
	params := &protocol.ShowMessageRequestParams{Type: protocol.MessageTypeInfo, Message: "Forge: " + text}
	for _, title := range titles {
		params.Actions = append(params.Actions, protocol.MessageActionItem{Title: title})
	}
	chosen, err := f.client().ShowMessageRequest(ctx, params)
	if err != nil || chosen == nil {
		return ""
	}
	return chosen.Title
}

// applyOpen applies what is still open, on a person's word.
func (f *front) applyOpen(ctx context.Context, r *review, confirmAll bool) {
	ids, err := f.selection(r, nil)
	if err == nil {
		_, err = f.applyAll(ctx, r, ids, confirmAll)
	}
	if err != nil && ctx.Err() == nil {
		f.tell(ctx, protocol.MessageTypeError, "Forge: the proposal was not applied: "+err.Error())
	}
}

func (f *front) rejectOpen(r *review) {
	r.change(func(p *proposal.Proposal) {
		ids, _ := p.Select(proposal.Selection{}) // the zero selection names nothing that could be missing
		p.Reject(ids)
	})
	f.board.touchReview(r)
}

// show leads the person to the first hunk; where the client cannot be led, it lists the places.
func (f *front) show(ctx context.Context, r *review) {
	p := r.view()
	if !f.server.features().showDocument || len(p.Files) == 0 {
		f.tell(ctx, protocol.MessageTypeInfo, listPlaces(p))
		return
	}
	first := p.Files[0]
	at := f.placeOfFirst(r, first.Change.Path)
	yes := true
	params := &protocol.ShowDocumentParams{
		URI: f.uriOf(r.folder, first.Change.Path), TakeFocus: &yes, Selection: &at,
	}
	var result protocol.ShowDocumentResult
	err := f.client().Call(ctx, protocol.MethodWindowShowDocument, params, &result)
	if err != nil || !result.Success {
		f.tell(ctx, protocol.MessageTypeInfo, listPlaces(p))
	}
}

// placeOfFirst is where the first hunk of a file is shown now, or the beginning of the file. Editors refuse to
// go to a line they do not have.
func (f *front) placeOfFirst(r *review, path string) protocol.Range {
	now, err := f.read(r.folder, path)
	if err != nil {
		return protocol.Range{}
	}
	hunks := f.placedOf(r, path, newLines(now.text, f.server.docs.unit))
	if len(hunks) == 0 {
		return protocol.Range{}
	}
	at := hunks[0].where
	at.End = at.Start
	return at
}

func listPlaces(p *proposal.Proposal) string {
	lines := []string{"Forge: accept or reject each hunk with its quick fix:"}
	for _, file := range p.Files {
		for _, h := range file.Hunks {
			lines = append(lines, fmt.Sprintf("%s:%d %s", file.Change.Path, h.Line, h.ID))
		}
	}
	return strings.Join(lines, "\n")
}

// describeReview says in a line what a proposal is, with what was checked.
func describeReview(r *review) string {
	p := r.view()
	n := 0
	for _, file := range p.Files {
		n += len(file.Hunks)
	}
	files := "1 file"
	if len(p.Files) != 1 {
		files = fmt.Sprintf("%d files", len(p.Files))
	}
	said := fmt.Sprintf("%s: %s in %s (%s)", oneLine(p.Title, 80), hunks(n), files, gateSummary(p.Gates))
	for _, notice := range p.Notices() {
		said += ". " + inert.Text(notice)
	}
	if p.Unverified != "" {
		said += ". The change is " + notVerified(p)
	}
	return said
}
