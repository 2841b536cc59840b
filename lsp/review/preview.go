package review

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"forge/api"
	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/proposal"
	"forge/internal/inert"
	"forge/lsp/transport"
)

// preview answers forge.proposal.preview. A client that can ask about annotated edits shows the whole
// edit and lets the user pick; any other shows the hunks as hints with quick fixes.
func (rv *Reviewer) preview(ctx context.Context, a *api.PreviewArgs) (api.ApplyResult, error) {
	r, ids, err := rv.chosen(ctx, a.ProposalID, a.Select)
	if err != nil {
		return api.ApplyResult{}, err
	}
	can := rv.session.Features()
	if can.Annotations || !can.ApplyEdit {
		return rv.applier.apply(ctx, r, ids, way{confirm: confirmAll, answers: true})
	}
	if !everything(a.Select) {
		return api.ApplyResult{}, transport.InvalidParams("select: this client shows all of a proposal, as hints; leave it out")
	}
	rv.hint(r)
	if !can.Rich {
		rv.work.Run("offer "+r.ID, func(ctx context.Context) { rv.askAboutHints(ctx, r) })
	}
	return rv.applier.outcome(r, ids, nil), nil
}

// offer shows the user a proposal that is new. Rich clients heard of it by an event and have a user
// interface of their own.
func (rv *Reviewer) offer(id string) {
	r, ok := rv.reviews.find(id)
	can := rv.session.Features()
	if !ok || can.Rich {
		return
	}
	if can.ApplyEdit && !can.Annotations {
		rv.hint(r) // before the request is answered, and before a newer proposal is
	}
	rv.work.Run("offer "+id, func(ctx context.Context) {
		switch {
		case !can.ApplyEdit:
			rv.dialog.Notify(ctx, protocol.MessageTypeWarning, "Forge: "+describeReview(r)+" "+ErrCannotApply.Error())
		case can.Annotations:
			rv.askAboutPreview(ctx, r)
		default:
			rv.askAboutHints(ctx, r)
		}
	})
}

// hint shows the proposal's hunks as hints in the documents.
func (rv *Reviewer) hint(r *Review) {
	rv.reviews.add(r) // the newest are shown
	r.aside.Store(false)
	r.hints.Store(true)
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
		rv.applyOpen(ctx, r, confirmAll)
	case answerReject:
		rv.rejectOpen(ctx, r)
	}
}

func (rv *Reviewer) askAboutHints(ctx context.Context, r *Review) {
	switch rv.dialog.Choose(ctx, describeReview(r), answerApplyAll, AnswerShow, answerReject) {
	case answerApplyAll:
		rv.applyOpen(ctx, r, confirmRisks)
	case AnswerShow:
		rv.show(ctx, r)
	case answerReject:
		rv.rejectOpen(ctx, r)
	}
}

// applyOpen applies what is still open, on the user's word.
func (rv *Reviewer) applyOpen(ctx context.Context, r *Review, confirm confirming) {
	ids, err := rv.selection(r, nil)
	if err == nil {
		_, err = rv.applier.applyAll(ctx, r, ids, way{confirm: confirm})
	}
	if err != nil && ctx.Err() == nil {
		rv.dialog.Notify(ctx, protocol.MessageTypeError, "Forge: the proposal was not applied: "+err.Error())
	}
}

func (rv *Reviewer) rejectOpen(ctx context.Context, r *Review) {
	r.change(func(p *proposal.Proposal) {
		ids, _ := p.Select(proposal.Selection{}) // the zero selection names nothing that could be missing
		p.Reject(ids, "")
	})
	rv.applier.changed(ctx, r)
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
	said := fmt.Sprintf("%s: %s in %s (%s)", inert.OneLine(p.Title, 80), event.Count(n, "hunk"), event.Count(len(p.Files), "file"), gateSummary(p.Gates))
	for _, notice := range p.Notices() {
		said += ". " + inert.Text(notice)
	}
	if p.Unverified != "" {
		said += ". The change is " + notVerified(p)
	}
	if p.Explanation != "" {
		said += ". The model says: " + strings.TrimSuffix(inert.OneLine(p.Explanation, 400), ".")
	}
	return said
}

// riskTexts says to the user why something needs a second look.
var riskTexts = map[proposal.Risk]string{
	proposal.RiskInexact: "did not match to the letter",
	proposal.RiskDelete:  "deletes the file",
	proposal.RiskMove:    "moves the file",
	proposal.RiskScope:   "outside what was asked for",
	proposal.RiskRebased: "merged with what you typed",
	proposal.RiskLook:    "check this",
	proposal.RiskControl: "check this first",
}

// annotate describes a file's edits, and asks for a confirmation where one is due: everywhere in a
// preview, else where there is a risk. Clients that ignore annotations get none.
func (c *composer) annotate(plan proposal.FilePlan) protocol.ChangeAnnotationIdentifier {
	if !c.can.Annotations {
		return ""
	}
	risks := risksOf(plan)
	confirm := c.asks(plan)
	if c.proposal.Unverified != "" {
		risks = append([]string{notVerified(c.proposal)}, risks...)
	}
	description := describe(c.proposal, plan.Path, risks)
	if c.edit.ChangeAnnotations == nil {
		c.edit.ChangeAnnotations = map[protocol.ChangeAnnotationIdentifier]protocol.ChangeAnnotation{}
	}
	id := protocol.ChangeAnnotationIdentifier(plan.Path)
	c.edit.ChangeAnnotations[id] = protocol.ChangeAnnotation{
		Label: inert.Text(plan.Path), Description: &description, NeedsConfirmation: &confirm,
	}
	c.confirm = c.confirm || confirm
	return id
}

// asks reports whether the client asks the user about a file.
func (c *composer) asks(plan proposal.FilePlan) bool {
	return c.confirming == confirmAll || slices.ContainsFunc(plan.Edits, func(e proposal.PlannedEdit) bool {
		acts := e.Risk == proposal.RiskControl || e.Risk == proposal.RiskLook
		return acts || e.Risk != "" && c.confirming == confirmRisks
	})
}

func risksOf(plan proposal.FilePlan) []string {
	var risks []string
	for _, e := range plan.Edits {
		if e.Risk != "" && !slices.Contains(risks, riskTexts[e.Risk]) {
			risks = append(risks, riskTexts[e.Risk])
		}
	}
	return risks
}

// describe returns how sure a file's edits are: how they matched, what was checked, what is risky.
func describe(p *proposal.Proposal, path string, risks []string) string {
	parts := []string{}
	for _, file := range p.Files {
		if file.Change.Path == path {
			if file.Control.Reason != "" {
				parts = append(parts, file.Control.Reason)
			}
			parts = append(parts, levelName(file.Hunks[0].Level)+" match")
		}
	}
	parts = append(parts, gateSummary(p.Gates))
	for _, notice := range p.Notices() {
		parts = append(parts, inert.Text(notice))
	}
	return strings.Join(append(parts, risks...), " · ")
}

// gateSummary names what was checked and what came out: "gofmt pass, go test fail".
func gateSummary(reports []gate.Report) string {
	if len(reports) == 0 {
		return "not checked"
	}
	var all []string
	for _, r := range reports {
		all = append(all, inert.Text(r.Gate)+" "+r.Verdict.String())
	}
	return strings.Join(all, ", ")
}

// notVerified says of a proposal that its run did not accept it, and why.
func notVerified(p *proposal.Proposal) string {
	return p.Flaw() + ": " + inert.Shorten(inert.Text(strings.Join(strings.Split(p.Unverified, "\n"), "; ")), 400)
}

const answerApplyAnyway = "Apply all the same"

// confirmUnverified has the user confirm a change that its run did not accept: each edit of it if the client can,
// else all of it.
func (rv *Reviewer) confirmUnverified(ctx context.Context, r *Review) (confirming, error) {
	if rv.session.Features().Annotations {
		return confirmAll, nil
	}
	if rv.dialog.Choose(ctx, describeReview(r), answerApplyAnyway) != answerApplyAnyway {
		return confirmRisks, transport.InvalidParams("Nothing was applied, because it was not confirmed: the change is %s.", notVerified(r.view()))
	}
	return confirmRisks, nil
}
