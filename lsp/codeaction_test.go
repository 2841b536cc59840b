package lsp_test

import (
	"cmp"
	"path"
	"testing"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/api"
	"forge/engine/event"
)

func (d *harness) actions(u uri.URI, r protocol.Range, context protocol.CodeActionContext) []*protocol.CodeAction {
	d.t.Helper()
	if context.Diagnostics == nil {
		context.Diagnostics = []protocol.Diagnostic{}
	}
	params := &protocol.CodeActionParams{TextDocument: protocol.TextDocumentIdentifier{URI: u}, Range: r, Context: context}
	var answer []*protocol.CodeAction
	require.NoError(d.t, d.Request(protocol.MethodTextDocumentCodeAction, params, &answer))
	return answer
}

func kinds(actions []*protocol.CodeAction) []string {
	list := []string{}
	for _, a := range actions {
		list = append(list, string(*a.Kind))
	}
	return list
}

func lineRange(from, to uint32) protocol.Range {
	return protocol.Range{Start: protocol.Position{Line: from}, End: protocol.Position{Line: to}}
}

const taskGo = "package calc\n\n// forge: add Sub with tests\n\nfunc Add() {}\n"

func TestCodeAction_OffersMatchingActions(t *testing.T) {
	problem := protocol.Diagnostic{Message: protocol.String("unused x"), Range: lineRange(4, 4)}
	var selection []string
	for _, kind := range []string{"implement", "tdd", "test", "refactor", "document", "change", "explain", "review"} {
		selection = append(selection, "refactor.rewrite.forge."+kind)
	}
	commands := map[string]string{"explain": api.AskQuestion, "review": api.ReviewCode, "spec": api.GenerateSpec}
	for name, tc := range map[string]struct {
		text    string
		where   protocol.Range
		context protocol.CodeActionContext
		want    []string
	}{
		"cursor":    {taskGo, lineRange(4, 4), protocol.CodeActionContext{}, []string{"source.forge.run"}},
		"selection": {taskGo, lineRange(4, 5), protocol.CodeActionContext{}, append(selection[:8:8], "source.forge.run")},
		"problem": {taskGo, lineRange(4, 4), protocol.CodeActionContext{Diagnostics: []protocol.Diagnostic{problem}},
			[]string{"quickfix.forge.fix", "source.forge.run"}},
		"only refactorings": {taskGo, lineRange(4, 5), protocol.CodeActionContext{Only: []protocol.CodeActionKind{"refactor"}}, selection},
		"only one": {taskGo, lineRange(4, 5), protocol.CodeActionContext{Only: []protocol.CodeActionKind{"refactor.rewrite.forge.tdd"}},
			selection[1:2]},
		"a kind is not a prefix of a word": {taskGo, lineRange(4, 5), protocol.CodeActionContext{Only: []protocol.CodeActionKind{"refac"}},
			[]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := start(t, nil, &fakeEngine{})
				d.Open(d.uri("a.go"), "go", tc.text)
				actions := d.actions(d.uri("a.go"), tc.where, tc.context)
				require.Equal(t, tc.want, kinds(actions))
				for _, a := range actions {
					require.Nil(t, a.Edit, "an action carries a command, never an edit")
					kind := path.Ext(string(*a.Kind))[1:]
					if kind == "change" {
						require.Contains(t, a.Disabled.Reason, "// forge: …", "this client cannot be asked what it should do")
						continue
					}
					require.Equal(t, cmp.Or(commands[kind], api.Run), a.Command.Command)
					require.Empty(t, a.Disabled.Reason)
					require.Empty(t, a.Tags, "this client does not know tags")
				}
				require.Empty(t, d.engine.started(), "to offer costs nothing")
			})
		})
	}
}

// A rich client asks its person what should change; a text is made into a specification; what a reviewer found is an issue.
func TestCodeActions_OfTheirOwn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, nil, &fakeEngine{}, rich)
		d.Open(d.uri("a.go"), "go", taskGo)
		only := protocol.CodeActionContext{Only: []protocol.CodeActionKind{"refactor.rewrite.forge.change"}}
		actions := d.actions(d.uri("a.go"), lineRange(4, 5), only)
		require.Len(t, actions, 1)
		var args api.RunArgs
		require.NoError(t, protocol.Unmarshal(actions[0].Command.Arguments[0], &args))
		require.Equal(t, "What should the selection do?", args.Ask)
		require.Empty(t, args.Task)

		d.Open(d.uri("a.md"), "markdown", "# Refunds\n\nRounded.\n")
		only.Only = []protocol.CodeActionKind{"refactor.rewrite.forge.spec"}
		require.Len(t, d.actions(d.uri("a.md"), lineRange(0, 0), only), 1)
		require.Empty(t, d.actions(d.uri("a.go"), lineRange(0, 0), only), "no text")
		d.Open(d.uri("b.md"), "markdown", " \n")
		require.Contains(t, d.actions(d.uri("b.md"), lineRange(0, 0), only)[0].Disabled.Reason, "no text")

		issue := protocol.Diagnostic{Message: protocol.String("it panics"), Source: protocol.NewOptional("forge/review")}
		quick := protocol.CodeActionContext{Diagnostics: []protocol.Diagnostic{issue}}
		actions = d.actions(d.uri("a.go"), lineRange(4, 4), quick)
		require.Equal(t, "Forge: fix this issue: “it panics”", actions[0].Title)
		require.NoError(t, protocol.Unmarshal(actions[0].Command.Arguments[0], &args))
		require.Equal(t, "fix", args.Recipe)
		require.Equal(t, []string{"it panics"}, args.Scope.Diagnostics)
		other := protocol.Diagnostic{Message: protocol.String("unused"), Source: protocol.NewOptional("gopls")}
		quick.Diagnostics = append(quick.Diagnostics, other)
		require.Equal(t, "Forge: fix “it panics”", d.actions(d.uri("a.go"), lineRange(4, 4), quick)[0].Title)
	})
}

// The command of an action runs as it is.
func TestCodeAction_Runs(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, nil, &fakeEngine{script: checking(event.Succeeded)})
		d.Open(d.uri("a.go"), "go", taskGo)
		for _, a := range d.actions(d.uri("a.go"), lineRange(2, 5), protocol.CodeActionContext{}) {
			require.NoError(t, d.execute(a.Command.Command, a.Command.Arguments[0], nil))
		}
		requests := d.engine.started()
		recipes := []string{"implement", "tdd", "test", "refactor", "document", "implement", "ask", "review", ""}
		require.Len(t, requests, len(recipes))
		for i, recipe := range recipes {
			require.Equal(t, recipe, requests[i].Recipe)
			if recipe != "ask" && recipe != "review" {
				require.Contains(t, requests[i].Task, "add Sub with tests", "what the comment says goes before the general task")
			}
			require.Equal(t, "a.go", requests[i].Focus.Path)
		}
		require.Equal(t, [2]int{3, 5}, [2]int{requests[0].Focus.StartLine, requests[0].Focus.EndLine})
	})
}

func TestCodeActions_ThatCannotApply(t *testing.T) {
	noSupport := func(p *protocol.InitializeParams) { p.Capabilities.TextDocument.CodeAction.DisabledSupport = nil }
	for name, tc := range map[string]struct {
		path   string
		change capable
		want   []string
	}{
		"no comment":                  {"a.go", able, []string{"there is no comment “// forge: …” in this file"}},
		"no comment, no support":      {"a.go", noSupport, []string{}},
		"outside the folder":          {"../a.go", able, []string{"this file is in no open folder"}},
		"outside, no support for why": {"../a.go", noSupport, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := start(t, nil, &fakeEngine{}, tc.change)
				d.Open(d.uri(tc.path), "go", "package a\n")
				reasons := []string{}
				for _, a := range d.actions(d.uri(tc.path), lineRange(0, 0), protocol.CodeActionContext{}) {
					reasons = append(reasons, a.Disabled.Reason)
					require.Empty(t, a.Command.Command)
				}
				require.Equal(t, tc.want, reasons)
			})
		})
	}
}

func TestCodeActions_ForWeakAndStrongClients(t *testing.T) {
	bubble(t, func(t *testing.T) {
		weak := func(p *protocol.InitializeParams) { p.Capabilities.TextDocument.CodeAction = nil }
		d := start(t, nil, &fakeEngine{}, weak)
		d.Open(d.uri("a.go"), "go", taskGo)
		params := &protocol.CodeActionParams{TextDocument: protocol.TextDocumentIdentifier{URI: d.uri("a.go")}}
		params.Context.Diagnostics = []protocol.Diagnostic{}
		var commands []protocol.Command
		require.NoError(t, d.Request(protocol.MethodTextDocumentCodeAction, params, &commands))
		require.Equal(t, api.Run, commands[0].Command, "a client without literals gets commands")
	})
	bubble(t, func(t *testing.T) {
		d := start(t, nil, &fakeEngine{}, func(p *protocol.InitializeParams) {
			p.Capabilities.TextDocument.CodeAction.TagSupport.ValueSet = []protocol.CodeActionTag{protocol.CodeActionTagLLMGenerated}
		})
		d.Open(d.uri("a.go"), "go", taskGo)
		actions := d.actions(d.uri("a.go"), lineRange(0, 0), protocol.CodeActionContext{})
		require.Equal(t, []protocol.CodeActionTag{protocol.CodeActionTagLLMGenerated}, actions[0].Tags)
	})
}

func TestCodeAction_AcceptsAndRejectsHunks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t)
		u := d.uri("calc.go")
		hints := d.shown(u)
		quick := protocol.CodeActionContext{Only: []protocol.CodeActionKind{"quickfix"}, Diagnostics: hints}
		require.Empty(t, d.actions(u, lineRange(0, 0), quick), "no hunk here, and hints are nothing to fix")

		d.Edit(u, insert(0, "// typed\n"))
		actions := d.actions(u, lineRange(3, 3), quick)
		require.Len(t, actions, 3)
		require.Equal(t, "Forge: accept hunk f1h1", actions[0].Title)
		require.Equal(t, "Forge: reject hunk f1h1", actions[1].Title)
		require.Equal(t, "Forge: accept file", actions[2].Title)
		require.Len(t, actions[0].Diagnostics, 1, "the hint it belongs to")
		require.NoError(t, d.execute(actions[0].Command.Command, actions[0].Command.Arguments[0], nil))
		require.Equal(t, "// typed\n"+fixedCalc, d.Text(u))

		actions = d.actions(u, lineRange(10, 10), quick)
		require.NoError(t, d.execute(actions[1].Command.Command, actions[1].Command.Arguments[0], nil))
		require.Empty(t, d.actions(u, lineRange(10, 10), quick), "a rejected hunk is gone")
		require.Equal(t, "// typed\n"+fixedCalc, d.Text(u))
	})
}
