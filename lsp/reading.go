package lsp

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/api"
	"forge/engine"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/internal/inert"
	"forge/lsp/editor"
	"forge/lsp/transport"
)

// recipeOf converts a recipe of forge.run to one of the engine.
func recipeOf(wire string) string {
	if wire == "explain" {
		return editor.RecipeAsk
	}
	return wire
}

// finds reports whether the start of a recipe's runs clears the findings of the previous run: whether they show their own.
func finds(recipe string) bool {
	return recipe != editor.RecipeAsk && recipe != editor.RecipeSpec && recipe != editor.RecipeReview && recipe != editor.RecipeFinal
}

// general is the task of a run that names none, as its recipe defines it.
func general(recipe, path string) string {
	switch recipe {
	case editor.RecipeAsk:
		return "Explain " + cmp.Or(path, "what this folder is, and how it is put together") + "."
	case editor.RecipeReview:
		if path == "" {
			return "Review what is not committed yet."
		}
		return "Review " + path + "."
	case "test":
		return "Write tests for what is there in " + cmp.Or(path, "this folder") + "."
	case "document":
		return "Write documentation comments for " + cmp.Or(path, "what is exported") + "."
	}
	return ""
}

// taskFor is the task of a run without one: that of a comment in its scope, or that of its recipe.
func (rq *requests) taskFor(folder editor.Folder, focus execution.Focus, recipe string) (string, error) {
	written, err := rq.taskInScope(folder, focus)
	if task := general(recipe, focus.Path); err != nil && task != "" {
		return task, nil
	}
	return written, err
}

// selected is a scope without a range that selects nothing: with only a cursor, the whole document is meant.
func selected(s *api.Scope) *api.Scope {
	if s == nil || s.Range == nil || s.Range.Start != s.Range.End {
		return s
	}
	whole := *s
	whole.Range = nil
	return &whole
}

// ask answers forge.ask.
func (rn *runner) ask(ctx context.Context, a *api.AskArgs) (api.RunResult, error) {
	return rn.launch(ctx, a.ClientRunID, a.Wait, func() (engine.Request, editor.Folder, error) {
		return rn.requests.request(ctx, &api.RunArgs{
			Task: strings.TrimSpace(a.Question), Recipe: "explain", Scope: selected(a.Scope), Folder: a.Folder, Earlier: a.Earlier, Thread: a.Thread, Limits: a.Limits,
		})
	})
}

// reviewCode answers forge.review.
func (rn *runner) reviewCode(ctx context.Context, a *api.ReviewArgs) (api.RunResult, error) {
	return rn.launch(ctx, a.ClientRunID, a.Wait, func() (engine.Request, editor.Folder, error) {
		scope, path := selected(a.Scope), ""
		r, folder, err := rn.requests.request(ctx, &api.RunArgs{Task: "review", Recipe: editor.RecipeReview, Scope: scope, Folder: a.Folder, Limits: a.Limits})
		if err == nil {
			path = r.Focus.Path
		}
		r.Task = general(editor.RecipeReview, path)
		return r, folder, err
	})
}

// reviewFinal answers forge.review.final.
func (rn *runner) reviewFinal(ctx context.Context, a *api.FinalReviewArgs) (api.RunResult, error) {
	return rn.launch(ctx, a.ClientRunID, a.Wait, func() (engine.Request, editor.Folder, error) {
		task := "Review the release: all changes since " + cmp.Or(a.Base, "the last commit") + "."
		r, folder, err := rn.requests.request(ctx, &api.RunArgs{Task: task, Recipe: editor.RecipeFinal, Folder: a.Folder, Limits: a.Limits})
		r.Focus.Since = a.Base
		return r, folder, err
	})
}

// generateSpec answers forge.spec.generate.
func (rn *runner) generateSpec(ctx context.Context, a *api.GenerateSpecArgs) (api.RunResult, error) {
	return rn.launch(ctx, a.ClientRunID, a.Wait, func() (engine.Request, editor.Folder, error) {
		task := strings.TrimSpace(a.Prompt)
		if task == "" {
			task = rn.requests.wishesIn(a.Scope)
		}
		if task == "" {
			return engine.Request{}, editor.Folder{}, transport.InvalidParams("Describe the requirements, or select the text that states them.")
		}
		r, folder, err := rn.requests.request(ctx, &api.RunArgs{Task: task, Scope: selected(a.Scope), Folder: a.Folder, Limits: a.Limits})
		r.Recipe, r.AskSpec = editor.RecipeSpec, a.Approve != "no"
		return r, folder, err
	})
}

// wishesIn is the text of a scope, of which a specification is to be made.
func (rq *requests) wishesIn(s *api.Scope) string {
	if s == nil {
		return ""
	}
	d, open := rq.folders.Docs.Document(uri.URI(s.URI))
	if !open {
		return ""
	}
	text := d.Text
	if start, end := editor.LinesOf(selected(s).Range); start > 0 {
		all := strings.SplitAfter(text, "\n")
		text = strings.Join(all[min(start-1, len(all)):min(end, len(all))], "")
	}
	return strings.TrimSpace(text)
}

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
	case r.Kind == editor.RecipeReview, r.Kind == editor.RecipeFinal:
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

// reviewSummary returns how much a review has found; the rest is in the documents.
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
		text = fmt.Sprintf("%s, %s: %s", event.Count(n, "issue"), event.Count(grave, "error"), text)
	}
	if note := r.Review.Output; note != "" {
		text += " (" + inert.Shorten(note, 300) + ")"
	}
	return text
}

// answerLimit bounds an answer that is shown as a message, in characters.
const answerLimit = 2000
