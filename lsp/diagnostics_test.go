package lsp_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/api"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/gate"
)

// shown is what is published for a document now: the last of its diagnostics.
func (d *harness) shown(u uri.URI) []protocol.Diagnostic {
	d.t.Helper()
	pause(1000)
	synctest.Wait()
	var last []protocol.Diagnostic
	for _, m := range d.Messages() {
		if m.Method == protocol.MethodTextDocumentPublishDiagnostics {
			if p := decodeParams[protocol.PublishDiagnosticsParams](d.t, m.Params); p.URI == u {
				last = p.Diagnostics
			}
		}
	}
	return last
}

// checking is a script whose gates say these things, one after the other.
func checking(state event.State, reports ...gate.Report) func(context.Context, *scriptedRun) execution.Result {
	return func(ctx context.Context, r *scriptedRun) execution.Result {
		for _, report := range reports {
			r.Log.Append(event.GateFinished{Report: report})
		}
		return execution.Result{State: state, Reason: "x"}
	}
}

func red(findings ...gate.Finding) gate.Report {
	return gate.Report{Gate: "go build", Verdict: gate.Fail, Findings: findings}
}

var undefined = gate.Finding{Path: "calc.go", Line: 5, Column: 9, Severity: gate.SeverityError, Rule: "compile", Message: "undefined: c"}

func TestBoard_FindingsAreDiagnostics(t *testing.T) {
	bubble(t, func(t *testing.T) {
		far := gate.Finding{Path: "calc.go", Line: 4000, Column: 4000, Severity: gate.SeverityWarning, Message: "\x1b[31mfar"}
		outside := gate.Finding{Path: "../secret.go", Line: 1, Severity: gate.SeverityError, Message: "no"}
		e := &fakeEngine{script: checking(event.Blocked, red(undefined, far, outside))}
		d := start(t, map[string]string{"calc.go": calcGo}, e)
		d.Open(d.uri("calc.go"), "go", calcGo)
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x", Wait: true}, nil))
		list := d.shown(d.uri("calc.go"))
		require.Len(t, list, 2)
		source, _ := list[0].Source.Get()
		require.Equal(t, "forge/go build", source)
		require.Equal(t, protocol.DiagnosticSeverityError, list[0].Severity)
		require.Equal(t, protocol.Range{
			Start: protocol.Position{Line: 4, Character: 8}, End: protocol.Position{Line: 4, Character: 13},
		}, list[0].Range)
		require.Equal(t, protocol.String("undefined: c"), list[0].Message)
		require.Equal(t, protocol.Position{Line: 11}, list[1].Range.End, "a line that is not there is the last one")
		require.Equal(t, protocol.String("\\u001b[31mfar"), list[1].Message)
		for _, m := range d.Messages() {
			require.NotContains(t, string(m.Params), "secret.go")
		}
	})
}

func TestBoard_FindingsAreCleared(t *testing.T) {
	green := gate.Report{Gate: "go build", Verdict: gate.Pass}
	other := gate.Report{Gate: "go vet", Verdict: gate.Pass}
	for name, tc := range map[string]struct {
		then func(d *harness) error
		left int
	}{
		"stay when the run fails":                           {func(*harness) error { return nil }, 1},
		"stay when another gate is green and the run fails": {again(checking(event.Failed, red(undefined), other)), 1},
		"go with the gate's next report":                    {again(checking(event.Blocked, red(undefined), green)), 0},
		"go with a run that succeeds":                       {again(checking(event.Succeeded, red(undefined))), 0},
		"go when the next run starts":                       {again(checking(event.Failed)), 0},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := start(t, map[string]string{"calc.go": calcGo}, &fakeEngine{script: checking(event.Blocked, red(undefined))})
				require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x", Wait: true}, nil))
				require.Len(t, d.shown(d.uri("calc.go")), 1)
				require.NoError(t, tc.then(d))
				require.Len(t, d.shown(d.uri("calc.go")), tc.left)
			})
		})
	}
}

// again runs another script.
func again(script func(context.Context, *scriptedRun) execution.Result) func(d *harness) error {
	return func(d *harness) error {
		d.engine.script = script
		return d.execute(api.Run, api.RunArgs{Task: "x", Wait: true}, nil)
	}
}

// Ranges stay inside the text when it shrinks.
func TestBoard_FindingsFollowTheText(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, map[string]string{"calc.go": calcGo}, &fakeEngine{script: checking(event.Blocked, red(undefined))})
		d.Open(d.uri("calc.go"), "go", calcGo)
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x", Wait: true}, nil))
		require.EqualValues(t, 4, d.shown(d.uri("calc.go"))[0].Range.Start.Line)
		reset(d, "package calc\n")
		require.EqualValues(t, 1, d.shown(d.uri("calc.go"))[0].Range.Start.Line)
	})
}

// A client forgets the diagnostics of a document that it closes, as Neovim does at :edit.
func TestBoard_ADocumentThatIsOpenedAgainIsPublishedAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, map[string]string{"calc.go": calcGo}, &fakeEngine{script: checking(event.Blocked, red(undefined))})
		d.Open(d.uri("calc.go"), "go", calcGo)
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x", Wait: true}, nil))
		require.Len(t, d.shown(d.uri("calc.go")), 1)
		before := len(d.Messages())
		d.Close(d.uri("calc.go"))
		d.Open(d.uri("calc.go"), "go", calcGo)
		require.Len(t, d.shown(d.uri("calc.go")), 1)
		var methods []string
		for _, m := range d.Messages()[before:] {
			methods = append(methods, m.Method)
		}
		require.Equal(t, []string{protocol.MethodTextDocumentPublishDiagnostics}, methods)
	})
}

func TestBoard_HunksAreHintsOnlyForClientsWithoutPreview(t *testing.T) {
	for name, tc := range map[string]struct {
		change capable
		want   int
	}{
		"plain":      {func(*protocol.InitializeParams) {}, 2},
		"rich":       {rich, 0},
		"annotating": {annotating, 0},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := startWithCalc(t, tc.change)
				list := d.shown(d.uri("calc.go"))
				require.Len(t, list, tc.want)
				if tc.want == 0 {
					return
				}
				require.Equal(t, protocol.DiagnosticSeverityHint, list[0].Severity)
				require.Equal(t, protocol.String("f1h1"), list[0].Code)
				require.Equal(t, protocol.String("proposed: // Add adds two numbers."), list[0].Message)
				require.EqualValues(t, 2, list[0].Range.Start.Line)
				d.apply(nil, "f1h1")
				require.Len(t, d.shown(d.uri("calc.go")), 1, "an accepted hunk is no hint")
				require.NoError(t, d.execute(api.RejectProposal, nil, nil))
				require.Empty(t, d.shown(d.uri("calc.go")), "nor is a rejected one")
			})
		})
	}
}

// Two open proposals have hunks with the same id: each hint and each quick fix names its own.
func TestBoard_HintsOfTwoProposalsHaveNamesOfTheirOwn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t)
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "again", Wait: true}, nil))
		names := map[string]string{}
		for _, hint := range d.shown(d.uri("calc.go")) {
			code, _ := hint.Code.(protocol.String)
			if hint.Range.Start.Line == 2 {
				names[string(code)] = ""
			}
		}
		require.Len(t, names, 2)
		require.Contains(t, names, "f1h1")
		require.Contains(t, names, "f1h1 of add Sub")
		quick := protocol.CodeActionContext{Only: []protocol.CodeActionKind{"quickfix"}, Diagnostics: d.shown(d.uri("calc.go"))}
		for _, action := range d.actions(d.uri("calc.go"), lineRange(2, 2), quick) {
			if name, accepts := strings.CutPrefix(action.Title, "Forge: accept hunk "); accepts {
				require.Len(t, action.Diagnostics, 1)
				require.Equal(t, protocol.String(name), action.Diagnostics[0].Code)
				names[name] = string(action.Command.Arguments[0])
			}
		}
		require.Contains(t, names["f1h1"], `"p-r1"`)
		require.Contains(t, names["f1h1 of add Sub"], `"p-r2"`)
	})
}
