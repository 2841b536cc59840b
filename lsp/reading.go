package lsp

import (
	"cmp"
	"context"
	"strings"

	"go.lsp.dev/uri"

	"forge/api"
	"forge/engine"
	"forge/engine/execution"
	"forge/lsp/editor"
	"forge/lsp/transport"
)

// recipeOf is the recipe of the engine for one that forge.run knows.
func recipeOf(wire string) string {
	if wire == "explain" {
		return editor.RecipeAsk
	}
	return wire
}

// finds reports whether a recipe's runs leave findings in documents, so that those of the run before go when it begins.
func finds(recipe string) bool {
	return recipe != editor.RecipeAsk && recipe != editor.RecipeSpec && recipe != editor.RecipeReview
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

// taskFor is the task of a run that was given none: what a comment in its scope says, or what its recipe does.
func (rq *requests) taskFor(folder editor.Folder, focus execution.Focus, recipe string) (string, error) {
	written, err := rq.taskInScope(folder, focus)
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
func (rn *runner) ask(ctx context.Context, a *api.AskArgs) (api.RunResult, error) {
	return rn.launch(ctx, a.ClientRunID, a.Wait, func() (engine.Request, editor.Folder, error) {
		return rn.requests.request(&api.RunArgs{
			Task: strings.TrimSpace(a.Question), Recipe: "explain", Scope: selected(a.Scope), Folder: a.Folder, Limits: a.Limits,
		})
	})
}

// reviewCode answers forge.review.
func (rn *runner) reviewCode(ctx context.Context, a *api.ReviewArgs) (api.RunResult, error) {
	return rn.launch(ctx, a.ClientRunID, a.Wait, func() (engine.Request, editor.Folder, error) {
		scope, path := selected(a.Scope), ""
		r, folder, err := rn.requests.request(&api.RunArgs{Task: "review", Recipe: editor.RecipeReview, Scope: scope, Folder: a.Folder, Limits: a.Limits})
		if err == nil {
			path = r.Focus.Path
		}
		r.Task = general(editor.RecipeReview, path)
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
			return engine.Request{}, editor.Folder{}, transport.InvalidParams("prompt: there is none; say what must hold, or select the text that says it")
		}
		r, folder, err := rn.requests.request(&api.RunArgs{Task: task, Scope: selected(a.Scope), Folder: a.Folder, Limits: a.Limits})
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
