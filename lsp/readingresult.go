package lsp

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/api"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/internal/inert"
	"forge/lsp/editor"
)

// showReading shows the result of a run that changes nothing. Rich clients do that themselves, with its events.
func (fo *follower) showReading(ctx context.Context, r *editor.Run) {
	if fo.session.Features().Rich || !r.Reads() || ctx.Err() != nil || r.Result.State == event.Cancelled {
		return
	}
	kind, text := protocol.MessageTypeInfo, inert.Shorten(r.Result.Reason, 400)
	switch {
	case r.Result.State != event.Succeeded:
		kind = protocol.MessageTypeWarning
	case r.Kind == editor.RecipeAsk:
		fo.showAnswer(ctx, r)
		return
	case r.Kind == editor.RecipeReview:
		text = reviewSummary(r.Result)
	}
	fo.dialog.Notify(ctx, kind, "Forge: "+inert.OneLine(r.Task, 60)+": "+text)
}

// showAnswer shows an answer as a document, or as a message if the client shows none.
func (fo *follower) showAnswer(ctx context.Context, r *editor.Run) {
	path := ""
	for _, e := range r.Log.Since(0) {
		if answer, is := e.Data.(event.AnswerReady); is {
			path = answer.Path
		}
	}
	if path != "" && fo.session.Features().ShowDocument && fo.client.ShowDocument(ctx, uri.File(path)) {
		return
	}
	text := inert.Shorten(r.Result.Answer, answerLimit)
	if path != "" {
		text += "\n\nThe whole answer is in " + path
	}
	fo.dialog.Notify(ctx, protocol.MessageTypeInfo, "Forge: "+text)
}

// reviewSummary says how much a review has found; the rest is in the documents.
func reviewSummary(r execution.Result) string {
	if r.Review == nil {
		return ""
	}
	report := api.GateOf(*r.Review)
	grave := 0
	for _, f := range report.Findings {
		if f.Severity == "error" {
			grave++
		}
	}
	text := inert.Shorten(report.Summary, 300)
	if n := len(report.Findings); n > 0 {
		text = fmt.Sprintf("%s, %s: %s", issues(n), errorsOf(grave), text)
	}
	if note := r.Review.Output; note != "" {
		text += " (" + inert.Shorten(note, 300) + ")"
	}
	return text
}

func issues(n int) string {
	if n == 1 {
		return "1 issue"
	}
	return fmt.Sprintf("%d issues", n)
}

func errorsOf(n int) string {
	switch n {
	case 0:
		return "no error"
	case 1:
		return "1 error"
	}
	return fmt.Sprintf("%d errors", n)
}

// answerLimit bounds an answer that is shown as a message, in characters.
const answerLimit = 2000
