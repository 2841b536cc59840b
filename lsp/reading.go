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
	"forge/engine/gate"
)

// The recipes of runs that change nothing, as the engine knows them.
const (
	recipeAsk    = "ask"
	recipeReview = "review"
	recipeSpec   = "spec"
)

// recipeOf is the recipe of the engine for one that forge.run knows.
func recipeOf(wire string) string {
	if wire == "explain" {
		return recipeAsk
	}
	return wire
}

// finds reports whether a recipe's runs leave findings in documents, so that those of the run before go when it begins.
func finds(recipe string) bool {
	return recipe != recipeAsk && recipe != recipeSpec && recipe != recipeReview
}

// reads reports whether a run changes nothing. What became of it is shown in its own way.
func (r *run) reads() bool {
	return r.only == recipeAsk || r.only == recipeReview || r.only == recipeSpec
}

// general is what a run is to do where nobody said it, and the recipe says it.
func general(recipe, path string) string {
	switch recipe {
	case recipeAsk:
		return "Explain " + cmp.Or(path, "what this folder is, and how it is put together") + "."
	case recipeReview:
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

// taskFor is the task of a run that was given none: what a comment in its scope says, or what its recipe does.
func (f *front) taskFor(folder Folder, focus engine.Focus, recipe string) (string, error) {
	written, err := f.taskInScope(folder, focus)
	if task := general(recipe, focus.Path); err != nil && task != "" {
		return task, nil
	}
	return written, err
}

// selected is a scope without a range that selects nothing: where only a cursor stands, the document is meant.
func selected(s *api.Scope) *api.Scope {
	if s == nil || s.Range == nil || s.Range.Start != s.Range.End {
		return s
	}
	whole := *s
	whole.Range = nil
	return &whole
}

// ask answers forge.ask.
func (f *front) ask(ctx context.Context, a *api.AskArgs) (api.RunResult, error) {
	return f.launch(ctx, a.ClientRunID, a.Wait, func() (engine.Request, Folder, error) {
		return f.request(&api.RunArgs{
			Task: strings.TrimSpace(a.Question), Recipe: "explain", Scope: selected(a.Scope), Folder: a.Folder, Limits: a.Limits,
		})
	})
}

// reviewCode answers forge.review.
func (f *front) reviewCode(ctx context.Context, a *api.ReviewArgs) (api.RunResult, error) {
	return f.launch(ctx, a.ClientRunID, a.Wait, func() (engine.Request, Folder, error) {
		scope, path := selected(a.Scope), ""
		r, folder, err := f.request(&api.RunArgs{Task: "review", Recipe: recipeReview, Scope: scope, Folder: a.Folder, Limits: a.Limits})
		if err == nil {
			path = r.Focus.Path
		}
		r.Task = general(recipeReview, path)
		return r, folder, err
	})
}

// generateSpec answers forge.spec.generate.
func (f *front) generateSpec(ctx context.Context, a *api.GenerateSpecArgs) (api.RunResult, error) {
	return f.launch(ctx, a.ClientRunID, a.Wait, func() (engine.Request, Folder, error) {
		task := strings.TrimSpace(a.Prompt)
		if task == "" {
			task = f.wishesIn(a.Scope)
		}
		if task == "" {
			return engine.Request{}, Folder{}, invalidParams("prompt: there is none; say what must hold, or select the text that says it")
		}
		r, folder, err := f.request(&api.RunArgs{Task: task, Scope: selected(a.Scope), Folder: a.Folder, Limits: a.Limits})
		r.Recipe, r.AskSpec = recipeSpec, a.Approve != "no"
		return r, folder, err
	})
}

// wishesIn is the text of a scope, of which a specification is to be made.
func (f *front) wishesIn(s *api.Scope) string {
	if s == nil {
		return ""
	}
	d, open := f.server.docs.Document(uri.URI(s.URI))
	if !open {
		return ""
	}
	text := d.Text
	if start, end := linesOf(selected(s).Range); start > 0 {
		all := strings.SplitAfter(text, "\n")
		text = strings.Join(all[min(start-1, len(all)):min(end, len(all))], "")
	}
	return strings.TrimSpace(text)
}

// showReading puts what a run came to that changes nothing before a person. Rich clients do that themselves, with its events.
func (f *front) showReading(ctx context.Context, r *run) {
	if f.server.features().rich || !r.reads() || ctx.Err() != nil || r.result.State == event.Cancelled {
		return
	}
	kind, text := protocol.MessageTypeInfo, shorten(r.result.Reason, 400)
	switch {
	case r.result.State != event.Succeeded:
		kind = protocol.MessageTypeWarning
	case r.only == recipeAsk:
		f.showAnswer(ctx, r)
		return
	case r.only == recipeReview:
		text = reviewSummary(r.result.Review)
	}
	f.tell(ctx, kind, "Forge: "+oneLine(r.Task, 60)+": "+text)
}

// reviewSummary says what a review came to: how much was found, and the rest is in the documents.
func reviewSummary(report *gate.Report) string {
	if report == nil {
		return ""
	}
	grave := 0
	for _, f := range report.Findings {
		if f.Severity == gate.SeverityError {
			grave++
		}
	}
	text := shorten(report.Summary, 300)
	if n := len(report.Findings); n > 0 {
		text = fmt.Sprintf("%s, %s: %s", issues(n), errorsOf(grave), text)
	}
	if report.Output != "" {
		text += " (" + shorten(report.Output, 300) + ")"
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

// answerLimit is how much of an answer is told where no document can be shown, in characters.
const answerLimit = 2000

// showAnswer shows an answer as a document, or tells it where the client shows none.
func (f *front) showAnswer(ctx context.Context, r *run) {
	path := ""
	for _, e := range r.Log.Since(0) {
		if answer, is := e.Data.(event.AnswerReady); is {
			path = answer.Path
		}
	}
	if path != "" && f.server.features().showDocument && f.client().ShowDocument(ctx, uri.File(path)) {
		return
	}
	text := shorten(r.result.Answer, answerLimit)
	if path != "" {
		text += "\n\nThe whole answer is in " + path
	}
	f.tell(ctx, protocol.MessageTypeInfo, "Forge: "+text)
}
