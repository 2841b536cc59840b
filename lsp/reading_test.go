package lsp_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"

	"forge/api"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/gate"
)

// reviewing is a script whose reviewer finds these things.
func reviewing(findings ...gate.Finding) func(context.Context, *scriptedRun) execution.Result {
	return func(_ context.Context, r *scriptedRun) execution.Result {
		report := gate.Report{Gate: "review", Verdict: gate.Fail, Summary: "It is wrong.", Findings: findings, Output: "an issue was left out"}
		r.Log.Append(event.Reviewed{Node: "review", Attempt: 1, Report: report})
		return execution.Result{State: event.Succeeded, Reason: "It is wrong.", Review: &report}
	}
}

var (
	grave = gate.Finding{Path: "calc.go", Line: 3, EndLine: 5, Severity: gate.SeverityError, Rule: "silent-failure", Message: "it panics"}
	mild  = gate.Finding{Path: "doc.go", Line: 1, Severity: gate.SeverityWarning, Rule: "other", Message: "hm"}
)

// The findings of a review are shown in the documents, with their whole range, until the next run that finds something.
func TestReading_AReviewIsDiagnostics(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, map[string]string{"calc.go": calcGo, "doc.go": docGo}, &fakeEngine{script: reviewing(grave, mild)})
		d.Open(d.uri("calc.go"), "go", calcGo)
		scope := api.Scope{URI: string(d.uri("calc.go")), Range: &api.Range{Start: api.Position{Line: 2}, End: api.Position{Line: 5}}}
		var result api.RunResult
		require.NoError(t, d.execute(api.ReviewCode, api.ReviewArgs{Scope: &scope, Wait: true}, &result))
		require.Equal(t, "fail", result.Review.Verdict)
		request := d.engine.started()[0]
		require.Equal(t, execution.Focus{Path: "calc.go", StartLine: 3, EndLine: 5}, request.Focus)
		require.Equal(t, "review", request.Recipe)

		list := d.shown(d.uri("calc.go"))
		require.Len(t, list, 1)
		source, _ := list[0].Source.Get()
		require.Equal(t, "forge/review", source)
		require.Equal(t, protocol.String("silent-failure"), list[0].Code)
		require.Equal(t, [2]uint32{2, 4}, [2]uint32{list[0].Range.Start.Line, list[0].Range.End.Line})
		require.Len(t, d.shown(d.uri("doc.go")), 1)
		told := decodeParams[protocol.ShowMessageParams](t, d.Expect(protocol.MethodWindowShowMessage, nil))
		require.Equal(t, "Forge: Review calc.go.: 2 issues, 1 error: It is wrong. (an issue was left out)", told.Message)

		d.engine.script = answering("no matter")
		require.NoError(t, d.execute(api.AskQuestion, api.AskArgs{Question: "why?", Wait: true}, nil))
		require.Len(t, d.shown(d.uri("calc.go")), 1, "a question leaves them")
		d.engine.script = proposing(calcChange())
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "fix the first", Recipe: "fix", Wait: true}, nil))
		require.NotEmpty(t, d.shown(d.uri("calc.go")), "so does a run")
		require.NoError(t, d.execute(api.ApplyProposal, api.ProposalArgs{}, nil))
		require.Empty(t, d.shown(d.uri("calc.go")), "until what it proposes is in the file")
		require.Len(t, d.shown(d.uri("doc.go")), 1, "and what is about other files stays")
		d.engine.script = reviewing()
		require.NoError(t, d.execute(api.ReviewCode, api.ReviewArgs{Wait: true}, nil))
		require.Empty(t, d.shown(d.uri("doc.go")), "another review does not")
		require.Equal(t, "Review what is not committed yet.", d.engine.started()[3].Task)
	})
}

// A selection that the document no longer has is refused before a model is asked; one below its last line break is not.
func TestReading_LinesBeyondTheEndAreRefused(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, map[string]string{"calc.go": calcGo}, &fakeEngine{script: reviewing(grave)})
		d.Open(d.uri("calc.go"), "go", calcGo)
		review := func(from, to uint32) error {
			scope := api.Scope{URI: string(d.uri("calc.go")), Range: &api.Range{Start: api.Position{Line: from}, End: api.Position{Line: to}}}
			return d.execute(api.ReviewCode, api.ReviewArgs{Scope: &scope, Wait: true}, nil)
		}
		require.ErrorContains(t, review(899, 999), "there is no line 900. Select lines that it has.")
		require.Empty(t, d.engine.started())
		require.NoError(t, review(1, 999))
		lines := strings.Count(calcGo, "\n")
		require.Equal(t, execution.Focus{Path: "calc.go", StartLine: 2, EndLine: lines}, d.engine.started()[0].Focus)
	})
}

// The findings of a final review are diagnostics with a quick fix, like those of any review.
func TestReading_FinalReviewIsDiagnostics(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, map[string]string{"calc.go": calcGo}, &fakeEngine{script: reviewing(grave)})
		d.Open(d.uri("calc.go"), "go", calcGo)
		var result api.RunResult
		require.NoError(t, d.execute(api.ReviewFinal, api.FinalReviewArgs{Base: "v1", Wait: true}, &result))
		require.Equal(t, "fail", result.Review.Verdict)
		request := d.engine.started()[0]
		require.Equal(t, execution.Focus{Since: "v1"}, request.Focus)
		require.Equal(t, "final", request.Recipe)
		require.Equal(t, "Review the release: all changes since v1.", request.Task)
		require.Len(t, d.shown(d.uri("calc.go")), 1)
		told := decodeParams[protocol.ShowMessageParams](t, d.Expect(protocol.MethodWindowShowMessage, nil))
		require.Contains(t, told.Message, "Forge: Review the release: all changes since v1.: 1 issue, 1 error: It is wrong.")
	})
}

// A cursor selects nothing: the document is meant.
func TestReading_CursorReviewsTheDocument(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, map[string]string{"calc.go": calcGo}, &fakeEngine{script: reviewing()})
		at := api.Position{Line: 2, Character: 1}
		scope := api.Scope{URI: string(d.uri("calc.go")), Range: &api.Range{Start: at, End: at}}
		require.NoError(t, d.execute(api.ReviewCode, api.ReviewArgs{Scope: &scope, Wait: true}, nil))
		require.Equal(t, execution.Focus{Path: "calc.go"}, d.engine.started()[0].Focus)
	})
}

// The findings of a run's reviewers are shown at their places in the files as they are, and are cleared when the
// proposal is decided, also those of a part of a plan.
func TestReading_FindingsOfAProposalAreDiagnostics(t *testing.T) {
	for name, decide := range map[string]string{"accepted": api.ApplyProposal, "rejected": api.RejectProposal} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				change := calcChange()
				change.Before, change.After = calcGo, "// one\n// two\n"+calcGo
				mild := gate.Finding{Path: "calc.go", Line: 7, EndLine: 8, Severity: gate.SeverityWarning, Message: "hm"}
				e := &fakeEngine{script: func(_ context.Context, r *scriptedRun) execution.Result {
					report := gate.Report{Gate: "review", Verdict: gate.Pass, Findings: []gate.Finding{mild}}
					r.Log.Append(event.Reviewed{Node: "review", Attempt: 1, Report: report})
					r.Log.Append(reviewed("pay/review", "pay is odd"))
					p := propose(r.ID, change)
					r.Log.Append(event.ProposalReady{ProposalID: p.ID, Files: 1, Hunks: 1})
					return execution.Result{State: event.Succeeded, Proposal: p, Review: &report}
				}}
				d := start(t, map[string]string{"calc.go": calcGo}, e, rich)
				d.Open(d.uri("calc.go"), "go", calcGo)
				require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x", Wait: true}, nil))
				list := d.shown(d.uri("calc.go"))
				require.Len(t, list, 2)
				slices.SortFunc(list, func(a, b protocol.Diagnostic) int { return int(b.Range.Start.Line) - int(a.Range.Start.Line) })
				require.Equal(t, [2]uint32{4, 5}, [2]uint32{list[0].Range.Start.Line, list[0].Range.End.Line}, "two lines higher than the reviewer saw it")
				require.NoError(t, d.execute(decide, api.ProposalArgs{}, nil))
				require.Empty(t, d.shown(d.uri("calc.go")))
			})
		})
	}
}

// answering is a script that answers a question.
func answering(text string) func(context.Context, *scriptedRun) execution.Result {
	return func(_ context.Context, r *scriptedRun) execution.Result {
		r.Log.Append(event.AnswerReady{Text: text, Path: "/state/answer.md"})
		return execution.Result{State: event.Succeeded, Reason: "answered", Answer: text}
	}
}

func TestReading_AnAnswerIsShownAsTheClientCan(t *testing.T) {
	shows := func(p *protocol.InitializeParams) {
		p.Capabilities.Window.ShowDocument = &protocol.ShowDocumentClientCapabilities{Support: true}
	}
	without := func(p *protocol.InitializeParams) { p.Capabilities.Window.ShowDocument = nil }
	for name, c := range map[string]struct {
		change  capable
		success bool
		shown   bool // as a document
		told    bool // as a message
	}{
		"a document":           {shows, true, true, false},
		"a document, in vain":  {shows, false, true, true},
		"a message":            {without, false, false, true},
		"by the client itself": {rich, false, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := start(t, nil, &fakeEngine{script: answering("# Why\n\nBecause.\n")}, without, c.change)
				shown := ""
				d.Handle(protocol.MethodWindowShowDocument, func(params []byte) (any, error) {
					shown = string(decodeParams[protocol.ShowDocumentParams](t, params).URI)
					return &protocol.ShowDocumentResult{Success: c.success}, nil
				})
				var result api.RunResult
				require.NoError(t, d.execute(api.AskQuestion, api.AskArgs{Question: "why?", Wait: true}, &result))
				require.Equal(t, "# Why\n\nBecause.\n", result.Answer)
				require.Equal(t, c.shown, shown == "file:///state/answer.md")
				told := false
				for _, m := range d.Messages() {
					told = told || m.Method == protocol.MethodWindowShowMessage
				}
				require.Equal(t, c.told, told)
			})
		})
	}
}

func TestReading_ASpecificationIsMadeOfAText(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, nil, &fakeEngine{script: func(_ context.Context, r *scriptedRun) execution.Result {
			r.Log.Append(event.SpecKept{Version: 3, Changelog: "Refunds."})
			return execution.Result{State: event.Succeeded, Reason: "version 3 of the specification: Refunds."}
		}})
		d.Open(d.uri("wishes.md"), "markdown", "# Wishes\n\nRefunds are rounded.\n\nTips.\n")
		scope := api.Scope{URI: string(d.uri("wishes.md")), Range: &api.Range{Start: api.Position{Line: 2}, End: api.Position{Line: 3}}}
		var result api.RunResult
		require.NoError(t, d.execute(api.GenerateSpec, api.GenerateSpecArgs{Scope: &scope, Wait: true}, &result))
		require.Equal(t, 3, result.SpecVersion)
		request := d.engine.started()[0]
		require.Equal(t, [2]any{"Refunds are rounded.", "spec"}, [2]any{request.Task, request.Recipe})
		require.True(t, request.AskSpec)

		require.NoError(t, d.execute(api.GenerateSpec, api.GenerateSpecArgs{Prompt: "tips", Approve: "no", Wait: true}, nil))
		require.False(t, d.engine.started()[1].AskSpec)
		require.ErrorContains(t, d.execute(api.GenerateSpec, nil, nil), "Describe the requirements")
	})
}

// The recipes of forge.run lead to the same work, and need no task of their own.
func TestReading_RecipesDefineTheTask(t *testing.T) {
	for recipe, want := range map[string][2]string{
		"explain": {"ask", "Explain calc.go."}, "review": {"review", "Review calc.go."},
		"test": {"test", "Write tests for what is there in calc.go."}, "document": {"document", "Write documentation comments for calc.go."},
	} {
		bubble(t, func(t *testing.T) {
			d := start(t, map[string]string{"calc.go": calcGo}, &fakeEngine{script: checking(event.Succeeded)})
			scope := api.Scope{URI: string(d.uri("calc.go"))}
			require.NoError(t, d.execute(api.Run, api.RunArgs{Recipe: recipe, Scope: &scope, Wait: true}, nil))
			request := d.engine.started()[0]
			require.Equal(t, want, [2]string{request.Recipe, request.Task})
		})
	}
}
