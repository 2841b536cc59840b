package lsp

import (
	"context"
	"fmt"
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

// actions offers code actions. It owns nothing, reads the folders and the open proposals, and calls the client never.
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
	if len(only) == 0 {
		return true
	}
	for _, wish := range only {
		if wish == "" || kind == wish || strings.HasPrefix(string(kind), string(wish)+".") {
			return true
		}
	}
	return false
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
			kind: kindFix, title: "Forge: go on with the run that is blocked", command: api.Resume, diagnostics: []protocol.Diagnostic{d},
			args: api.ResumeArgs{RunID: string(id)},
		})
	}
	return actions
}
