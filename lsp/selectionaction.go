package lsp

import (
	"path"
	"strings"

	"go.lsp.dev/protocol"

	"forge/api"
	"forge/internal/inert"
	"forge/lsp/editor"
)

// selectionActions offer to work on what is selected. A task that is written in the selection goes before the general one.
func (ac *actions) selectionActions(p *protocol.CodeActionParams, scope api.Scope) []action {
	written := ac.writtenIn(p, scope)
	offer := func(kind protocol.CodeActionKind, recipe, title, general string) action {
		task := general
		if written != "" {
			title, task = title+": “"+inert.OneLine(written, 60)+"”", written
		}
		return action{
			kind: kind, title: "Forge: " + title, command: api.Run,
			args: api.RunArgs{Task: task, Recipe: recipe, Scope: &scope},
		}
	}
	return []action{
		offer(kindImplement, "implement", "implement the selection",
			"Implement the selected code as its names, signatures and comments say."),
		offer(kindTDD, "tdd", "implement the selection, tests first",
			"Write tests for the selected code from its names, signatures and comments, then make them pass."),
		offer(kindTest, "test", "write tests for the selection",
			"Write tests for what the selected code does, edge cases and errors included."),
		offer(kindRefactor, "refactor", "refactor the selection",
			"Refactor the selected code to be simpler, without changing what it does."),
		offer(kindDocument, "document", "document the selection",
			"Write documentation comments for the selected code, as the language has them: what it does, what it takes and gives, its errors."),
		ac.changeAction(scope, written),
		{kind: kindExplain, title: "Forge: explain the selection", command: api.AskQuestion, args: api.AskArgs{
			Question: "What does the selection do, how, and what calls it?", Scope: &scope,
		}},
		{kind: kindReview, title: "Forge: review the selection", command: api.ReviewCode, args: api.ReviewArgs{Scope: &scope}},
	}
}

// writtenIn is the task that is written in the selection.
func (ac *actions) writtenIn(p *protocol.CodeActionParams, scope api.Scope) string {
	d, open := ac.folders.Docs.Document(p.TextDocument.URI)
	if !open {
		return ""
	}
	start, end := editor.LinesOf(scope.Range)
	return taskIn(d.Text, start, end)
}

// changeAction offers to change what the selection does. What it should do a rich client asks for; elsewhere a comment in the
// selection says it.
func (ac *actions) changeAction(scope api.Scope, written string) action {
	a := action{kind: kindChange, title: "Forge: change what the selection does…", command: api.Run}
	args := api.RunArgs{Recipe: "implement", Scope: &scope}
	switch {
	case written != "":
		a.title = "Forge: change what the selection does: “" + inert.OneLine(written, 60) + "”"
		args.Task = "Change what the selected code does: " + written
	case ac.session.Features().Rich:
		args.Ask = "What should the selection do?"
	default:
		a.disabled = "say what it should do in a comment “// forge: …” in the selection"
	}
	a.args = args
	return a
}

// specAction offers to make a specification of a text: of what is selected in it, or all of it.
func (ac *actions) specAction(p *protocol.CodeActionParams, scope api.Scope) []action {
	d, open := ac.folders.Docs.Document(p.TextDocument.URI)
	markdown := strings.EqualFold(path.Ext(string(p.TextDocument.URI)), ".md") || open && d.LanguageID == "markdown"
	if !markdown {
		return nil
	}
	a := action{
		kind: kindSpec, title: "Forge: generate a specification", command: api.GenerateSpec,
		args: api.GenerateSpecArgs{Scope: &scope},
	}
	if open && strings.TrimSpace(d.Text) == "" {
		a.disabled = "there is no text in this file that a specification could be made of"
	}
	return []action{a}
}
