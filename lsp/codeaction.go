package lsp

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"forge/api"
	"forge/internal/inert"
	"forge/lsp/editor"
	"forge/lsp/review"
)

// The kinds of code actions. An editor may ask for one, or for what they begin with.
const (
	kindFix       protocol.CodeActionKind = "quickfix.forge.fix"
	kindHunk      protocol.CodeActionKind = "quickfix.forge.hunk"
	kindImplement protocol.CodeActionKind = "refactor.rewrite.forge.implement"
	kindTDD       protocol.CodeActionKind = "refactor.rewrite.forge.tdd"
	kindTest      protocol.CodeActionKind = "refactor.rewrite.forge.test"
	kindRefactor  protocol.CodeActionKind = "refactor.rewrite.forge.refactor"
	kindDocument  protocol.CodeActionKind = "refactor.rewrite.forge.document"
	kindChange    protocol.CodeActionKind = "refactor.rewrite.forge.change"
	kindExplain   protocol.CodeActionKind = "refactor.rewrite.forge.explain"
	kindReview    protocol.CodeActionKind = "refactor.rewrite.forge.review"
	kindSpec      protocol.CodeActionKind = "refactor.rewrite.forge.spec"
	kindRun       protocol.CodeActionKind = "source.forge.run"
)

func actionKinds() []protocol.CodeActionKind {
	return []protocol.CodeActionKind{
		kindFix, kindHunk, kindImplement, kindTDD, kindTest, kindRefactor, kindDocument, kindChange, kindExplain, kindReview, kindSpec, kindRun,
	}
}

// action is a code action before it is fitted to the client. It carries a command and never an edit:
// to offer it costs nothing, and no model is asked.
type action struct {
	kind        protocol.CodeActionKind
	title       string
	command     string
	args        any
	diagnostics []protocol.Diagnostic
	disabled    string // why it cannot apply; empty when it can
	model       bool   // what comes of it is written by a model
}

// actions offers code actions. It owns nothing, reads the folders and the open proposals, and never calls the client.
type actions struct {
	folders *editor.Folders
	placer  *review.Placer
	session *editor.Session
}

// codeActions answers textDocument/codeAction.
func (ac *actions) codeActions(_ context.Context, p *protocol.CodeActionParams) ([]protocol.CommandOrCodeAction, error) {
	can := ac.session.Features()
	answer := []protocol.CommandOrCodeAction{}
	for _, a := range append(ac.hunkActions(p), ac.runActions(p)...) {
		if !asked(a.kind, p.Context.Only) {
			continue
		}
		fitted, err := a.fit(can)
		if err != nil {
			return nil, err
		}
		if fitted != nil {
			answer = append(answer, fitted)
		}
	}
	return answer, nil
}

// asked reports whether the editor wants actions of this kind; an editor that names no kind wants all.
func asked(kind protocol.CodeActionKind, only []protocol.CodeActionKind) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(wish protocol.CodeActionKind) bool {
		return wish == "" || kind == wish || strings.HasPrefix(string(kind), string(wish)+".")
	})
}

// fit makes the action this client understands; nil leaves it out.
func (a action) fit(can editor.Features) (protocol.CommandOrCodeAction, error) {
	if a.disabled != "" && !can.Disabled {
		return nil, nil
	}
	args, err := protocol.Marshal(a.args)
	if err != nil {
		return nil, fmt.Errorf("encode the action %q: %w", a.title, err)
	}
	run := protocol.Command{Title: a.title, Command: a.command, Arguments: []protocol.LSPAny{args}}
	if !can.ActionLiterals {
		return &run, nil
	}
	fitted := &protocol.CodeAction{Title: a.title, Kind: &a.kind, Diagnostics: a.diagnostics, Command: run}
	if a.disabled != "" {
		fitted.Disabled = protocol.CodeActionDisabled{Reason: a.disabled}
		fitted.Command = protocol.Command{}
	}
	if a.model && can.LLMTag {
		fitted.Tags = []protocol.CodeActionTag{protocol.CodeActionTagLLMGenerated}
	}
	return fitted, nil
}

// runActions are the ways of starting a run here.
func (ac *actions) runActions(p *protocol.CodeActionParams) []action {
	u := string(p.TextDocument.URI)
	where := *editor.WireRange(p.Range)
	scope := api.Scope{URI: u, Range: &where}
	disabled := ""
	if _, err := editor.FolderOf(editor.OnDisk(ac.folders.Current()), u); err != nil {
		disabled = "this file is in no open folder"
	}
	actions := append(resumeActions(p), fixAction(p, scope)...)
	if p.Range.Start != p.Range.End {
		actions = append(actions, ac.selectionActions(p, scope)...)
	}
	actions = append(actions, ac.specAction(p, scope)...)
	actions = append(actions, ac.fileAction(p))
	for i := range actions {
		actions[i].model = true
		if disabled != "" {
			actions[i].disabled = disabled
		}
	}
	return actions
}

// fixAction offers to fix the problems other tools have reported here.
func fixAction(p *protocol.CodeActionParams, scope api.Scope) []action {
	var fixes []protocol.Diagnostic
	reviewed := true
	for _, d := range p.Context.Diagnostics {
		if source, _ := d.Source.Get(); source == review.HintSource || source == review.BlockedSource {
			continue // a hunk of ours, or a run
		} else if source != review.ReviewSource {
			reviewed = false
		}
		fixes = append(fixes, d)
		scope.Diagnostics = append(scope.Diagnostics, diagnosticText(d))
	}
	if len(fixes) == 0 {
		return nil
	}
	title := "Forge: fix “" + inert.OneLine(scope.Diagnostics[0], 60) + "”"
	if reviewed {
		title = "Forge: fix this issue: “" + inert.OneLine(scope.Diagnostics[0], 60) + "”"
	}
	task := "Fix what is reported: " + strings.Join(scope.Diagnostics, "; ")
	return []action{{
		kind: kindFix, title: title, command: api.Run, diagnostics: fixes,
		args: api.RunArgs{Task: task, Recipe: "fix", Scope: &scope},
	}}
}

func diagnosticText(d protocol.Diagnostic) string {
	switch m := d.Message.(type) {
	case protocol.String:
		return string(m)
	case *protocol.MarkupContent:
		return m.Value
	default:
		return ""
	}
}

// fileAction offers to do what the file's own comment asks for.
func (ac *actions) fileAction(p *protocol.CodeActionParams) action {
	a := action{kind: kindRun, title: "Forge: run the file's task", command: api.Run}
	scope := api.Scope{URI: string(p.TextDocument.URI)}
	a.args = api.RunArgs{Scope: &scope}
	task := ""
	if d, open := ac.folders.Docs.Document(p.TextDocument.URI); open {
		task = taskIn(d.Text, 0, 0)
	}
	if task == "" {
		a.disabled = "there is no comment “// forge: …” in this file"
		return a
	}
	a.title = "Forge: “" + inert.OneLine(task, 60) + "”"
	return a
}

// resumeActions offer to resume the runs that are shown as blocked here.
func resumeActions(p *protocol.CodeActionParams) []action {
	var actions []action
	for _, d := range p.Context.Diagnostics {
		id, named := d.Code.(protocol.String)
		if !review.IsBlockage(d) || !named {
			continue
		}
		actions = append(actions, action{
			kind: kindFix, title: "Forge: resume the blocked run", command: api.Resume, diagnostics: []protocol.Diagnostic{d},
			args: api.ResumeArgs{RunID: string(id)},
		})
	}
	return actions
}

// hunkActions accept and reject the hunks that are shown where the user is.
func (ac *actions) hunkActions(p *protocol.CodeActionParams) []action {
	var actions []action
	var files []*review.Review
	path, hunks := hunksIn(ac.folders, ac.placer, p.TextDocument.URI)
	for _, h := range hunks {
		if !overlap(h.Where, p.Range) {
			continue
		}
		actions = append(actions, actionsOn(h, p.Context.Diagnostics)...)
		if !h.Conflict && !slices.Contains(files, h.Review) {
			files = append(files, h.Review)
		}
	}
	for _, r := range files {
		actions = append(actions, action{
			kind: kindHunk, title: "Forge: accept file", command: api.ApplyProposal,
			args: api.ProposalArgs{ProposalID: r.ID, Select: &api.Select{Files: []string{path}}},
		})
	}
	return actions
}

// actionsOn are what can be done with a hunk. One in conflict can only be rejected: there is no place for
// it until the user makes one.
func actionsOn(h review.Placed, context []protocol.Diagnostic) []action {
	one := api.ProposalArgs{ProposalID: h.Review.ID, Select: &api.Select{Hunks: []string{h.ID}}}
	shown := slices.DeleteFunc(slices.Clone(context), func(d protocol.Diagnostic) bool {
		source, _ := d.Source.Get()
		return source != review.HintSource || d.Code != protocol.String(h.Name)
	})
	reject := action{
		kind: kindHunk, title: "Forge: reject hunk " + h.Name, command: api.RejectProposal, args: one, diagnostics: shown,
	}
	if h.Conflict {
		return []action{reject}
	}
	accept := action{
		kind: kindHunk, title: "Forge: accept hunk " + h.Name, command: api.ApplyProposal, args: one, diagnostics: shown,
	}
	return []action{accept, reject}
}

// overlap reports whether two ranges share a line: editors request quick fixes by the line.
func overlap(a, b protocol.Range) bool {
	return a.Start.Line <= b.End.Line && b.Start.Line <= a.End.Line
}

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
			"Write documentation comments for the selected code, in the style of the language: what it does, its parameters, results and errors."),
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

// changeAction offers to change what the selection does. A rich client asks the user what it should do; for other clients a
// comment in the selection states it.
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
		a.disabled = "describe what it should do in a comment “// forge: …” in the selection"
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
