package review

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
// edit and lets the user pick; any other shows the hunks as hints with quick fixes.
func (rv *Reviewer) preview(ctx context.Context, a *api.ProposalArgs) (api.ApplyResult, error) {
	r, ids, err := rv.chosen(ctx, a)
	if err != nil {
		return api.ApplyResult{}, err
	}
	can := rv.session.Features()
	if can.Annotations || !can.ApplyEdit {
		return rv.applier.apply(ctx, r, ids, true)
	}
	rv.hint(r)
	if !can.Rich {
		rv.work.Run("offer "+r.ID, func(ctx context.Context) { rv.askAboutHints(ctx, r) })
	}
	return rv.applier.outcome(r, ids, nil, ""), nil
}

// offer shows the user a proposal that is new. Rich clients heard of it by an event and have a user
// interface of their own.
func (rv *Reviewer) offer(id string) {
	r, ok := rv.reviews.find(id)
	can := rv.session.Features()
	if !ok || can.Rich {
		return
	}
	rv.work.Run("offer "+id, func(ctx context.Context) {
		switch {
		case !can.ApplyEdit:
			rv.dialog.Notify(ctx, protocol.MessageTypeWarning, "Forge: "+describeReview(r)+" "+ErrCannotApply.Error())
		case can.Annotations:
			rv.askAboutPreview(ctx, r)
		default:
			rv.hint(r)
			rv.askAboutHints(ctx, r)
		}
	})
}

// hint shows the proposal's hunks as hints in the documents.
func (rv *Reviewer) hint(r *Review) {
	r.showHints(true)
	rv.board.touchReview(r)
}

// The answers the user can give when a proposal is ready.
const (
	answerPreview  = "Preview"
	answerApplyAll = "Apply all"
	AnswerShow     = "Show"
	answerReject   = "Reject"
)

func (rv *Reviewer) askAboutPreview(ctx context.Context, r *Review) {
	switch rv.dialog.Choose(ctx, describeReview(r), answerPreview, answerReject) {
	case answerPreview:
		rv.applyOpen(ctx, r, true)
	case answerReject:
		rv.rejectOpen(r)
	}
}

func (rv *Reviewer) askAboutHints(ctx context.Context, r *Review) {
	switch rv.dialog.Choose(ctx, describeReview(r), answerApplyAll, AnswerShow, answerReject) {
	case answerApplyAll:
		rv.applyOpen(ctx, r, false)
	case AnswerShow:
		rv.show(ctx, r)
	case answerReject:
		rv.rejectOpen(r)
	}
}

// applyOpen applies what is still open, on the user's word.
func (rv *Reviewer) applyOpen(ctx context.Context, r *Review, confirmAll bool) {
	ids, err := rv.selection(r, nil)
	if err == nil {
		_, err = rv.applier.applyAll(ctx, r, ids, confirmAll)
	}
	if err != nil && ctx.Err() == nil {
		rv.dialog.Notify(ctx, protocol.MessageTypeError, "Forge: the proposal was not applied: "+err.Error())
	}
}

func (rv *Reviewer) rejectOpen(r *Review) {
	r.change(func(p *proposal.Proposal) {
		ids, _ := p.Select(proposal.Selection{}) // the zero selection names nothing that could be missing
		p.Reject(ids)
	})
	rv.board.touchReview(r)
}

// show leads the user to the first hunk; where the client cannot be led, it lists the places.
func (rv *Reviewer) show(ctx context.Context, r *Review) {
	p := r.view()
	if !rv.session.Features().ShowDocument || len(p.Files) == 0 {
		rv.dialog.Notify(ctx, protocol.MessageTypeInfo, listPlaces(p))
		return
	}
	first := p.Files[0]
	at := rv.placer.placeOfFirst(r, first.Change.Path)
	yes := true
	params := &protocol.ShowDocumentParams{
		URI: rv.folders.URIOf(r.folder, first.Change.Path), TakeFocus: &yes, Selection: &at,
	}
	var result protocol.ShowDocumentResult
	err := rv.client.Call(ctx, protocol.MethodWindowShowDocument, params, &result)
	if err != nil || !result.Success {
		rv.dialog.Notify(ctx, protocol.MessageTypeInfo, listPlaces(p))
	}
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
func describeReview(r *Review) string {
	p := r.view()
	n := 0
	for _, file := range p.Files {
		n += len(file.Hunks)
	}
	files := "1 file"
	if len(p.Files) != 1 {
		files = fmt.Sprintf("%d files", len(p.Files))
	}
	said := fmt.Sprintf("%s: %s in %s (%s)", inert.OneLine(p.Title, 80), hunks(n), files, gateSummary(p.Gates))
	for _, notice := range p.Notices() {
		said += ". " + inert.Text(notice)
	}
	if p.Unverified != "" {
		said += ". The change is " + notVerified(p)
	}
	return said
}
