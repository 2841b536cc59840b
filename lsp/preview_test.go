package lsp_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/api"
	"forge/engine/execution"
	"forge/engine/history"
	"forge/engine/proposal"
	"forge/patch"
)

func (d *harness) lastEdit() protocol.WorkspaceEdit {
	d.t.Helper()
	return decodeParams[protocol.ApplyWorkspaceEditParams](d.t, d.Expect(protocol.MethodWorkspaceApplyEdit, nil)).Edit
}

func confirmations(edit protocol.WorkspaceEdit) map[string]bool {
	all := map[string]bool{}
	for id, a := range edit.ChangeAnnotations {
		all[string(id)] = *a.NeedsConfirmation
	}
	return all
}

func TestPreview_AsksAboutEveryChange(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t, rich, annotating)
		var result api.ApplyResult
		require.NoError(t, d.execute(api.PreviewProposal, nil, &result))
		edit := d.lastEdit()
		require.Equal(t, map[string]bool{"calc.go": true, "doc.go": true}, confirmations(edit))
		require.Equal(t, "exact match · go test pass", *edit.ChangeAnnotations["calc.go"].Description)
		require.Equal(t, []string{"applied", "applied"}, states(result), "the user's choice is verified")
		first, _ := edit.DocumentChanges[0].(*protocol.TextDocumentEdit)
		require.IsType(t, &protocol.AnnotatedTextEdit{}, first.Edits[0])
	})
}

// A user who discards the preview has decided; the proposal stays open, and is not offered again.
func TestPreview_IsDiscarded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t, rich, annotating)
		tries := 0
		d.Handle(protocol.MethodWorkspaceApplyEdit, func([]byte) (any, error) {
			tries++
			return &protocol.ApplyWorkspaceEditResult{}, nil
		})
		var result api.ApplyResult
		require.NoError(t, d.execute(api.PreviewProposal, nil, &result))
		require.Equal(t, 1, tries)
		require.Equal(t, []string{"skipped", "skipped"}, states(result))
		require.Contains(t, result.Files[0].Message, "not confirmed")
		var p api.Proposal
		require.NoError(t, d.execute(api.ShowProposal, nil, &p))
		require.Equal(t, "open", p.State)
	})
}

// An open preview can stay open for hours: what would wait for it fails, and names the file.
func TestPreview_OthersDoNotWaitForTheUser(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t, rich, annotating)
		own, closed := d.applyEdit(), make(chan struct{})
		d.Handle(protocol.MethodWorkspaceApplyEdit, func(params []byte) (any, error) {
			<-closed
			return own(params)
		})
		preview := d.Post(protocol.MethodWorkspaceExecuteCommand, executeParams(t, api.PreviewProposal, api.PreviewArgs{Select: &api.Select{Hunks: []string{"f1h1"}}}))
		d.Expect(protocol.MethodWorkspaceApplyEdit, nil)
		for _, command := range []string{api.ApplyProposal, api.Undo, api.PreviewProposal, api.ApplyProposal} {
			require.ErrorContains(t, d.execute(command, nil, nil), "an edit of calc.go waits for your confirmation in the editor", command)
		}
		close(closed)
		var result api.ApplyResult
		require.NoError(t, d.Await(preview, &result))
		require.Equal(t, []string{"applied"}, states(result))
		require.Equal(t, []string{"applied", "applied"}, states(d.apply(nil)))
		require.Equal(t, bothCalc, d.Text(d.uri("calc.go")))
	})
}

// Accepting asks only where there is a risk.
func TestPreview_AcceptConfirmsRisksOnly(t *testing.T) {
	bubble(t, func(t *testing.T) {
		inexact := docChange()
		inexact.Matches = []patch.Match{{Level: patch.Unicode}}
		gone := patch.FileChange{Kind: patch.Delete, Path: "old.go", Before: "package calc\n"}
		e := &fakeEngine{script: proposing(calcChange(), inexact, gone)}
		d := start(t, map[string]string{"calc.go": calcGo, "doc.go": docGo, "old.go": "package calc\n"}, e, rich, annotating)
		d.proposal()
		d.apply(nil)
		edit := d.lastEdit()
		require.Equal(t, map[string]bool{"calc.go": false, "doc.go": true, "old.go": true}, confirmations(edit))
		require.Equal(t, "unicode match · go test pass · did not match to the letter", *edit.ChangeAnnotations["doc.go"].Description)
	})
}

func TestPreview_MergedHunksAreConfirmed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t, rich, annotating)
		d.Edit(d.uri("calc.go"), insert(0, "// typed\n"))
		d.apply(nil)
		require.Equal(t, map[string]bool{"calc.go": true, "doc.go": false}, confirmations(d.lastEdit()))
	})
}

// What the user has seen in a diff is not asked about again.
func TestPreview_ReviewedHunksAreNotConfirmed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t, rich, annotating)
		d.Edit(d.uri("calc.go"), insert(0, "// typed\n"))
		var result api.ApplyResult
		require.NoError(t, d.execute(api.ApplyProposal, api.ProposalArgs{Reviewed: true}, &result))
		require.Equal(t, map[string]bool{"calc.go": false, "doc.go": false}, confirmations(d.lastEdit()))
		require.Equal(t, []string{"applied", "applied"}, states(result))
	})
}

// A new proposal is shown to the user in the way that their editor supports.
func TestPreview_IsOffered(t *testing.T) {
	for name, tc := range map[string]struct {
		change  capable
		answer  string // empty dismisses
		actions []string
		text    string // of calc.go afterwards
	}{
		"preview":               {annotating, "Preview", []string{"Preview", "Reject"}, bothCalc},
		"preview dismissed":     {annotating, "", []string{"Preview", "Reject"}, calcGo},
		"preview rejected":      {annotating, "Reject", []string{"Preview", "Reject"}, calcGo},
		"plain, apply all":      {able, "Apply all", []string{"Apply all", "Show", "Reject"}, bothCalc},
		"plain, dismissed":      {able, "", []string{"Apply all", "Show", "Reject"}, calcGo},
		"plain, rejected":       {able, "Reject", []string{"Apply all", "Show", "Reject"}, calcGo},
		"rich clients show it":  {rich, "Apply all", nil, calcGo},
		"show lists the places": {able, "Show", []string{"Apply all", "Show", "Reject"}, calcGo},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				e := &fakeEngine{script: proposing(calcChange(), docChange())}
				d := start(t, map[string]string{"calc.go": calcGo, "doc.go": docGo}, e, tc.change)
				d.Open(d.uri("calc.go"), "go", calcGo)
				d.Handle(protocol.MethodWindowShowMessageRequest, func([]byte) (any, error) {
					if tc.answer == "" {
						return nil, nil
					}
					return &protocol.MessageActionItem{Title: tc.answer}, nil
				})
				d.proposal()
				pause(5000)
				synctest.Wait()
				require.Equal(t, tc.actions, questionsAsked(t, d))
				require.Equal(t, tc.text, d.Text(d.uri("calc.go")))
				if tc.answer == "Show" {
					d.Expect(protocol.MethodWindowShowMessage, func(p []byte) bool { return strings.Contains(string(p), "calc.go:10 f1h2") })
				}
			})
		})
	}
}

func questionsAsked(t *testing.T, d *harness) []string {
	t.Helper()
	var titles []string
	for _, m := range d.Messages() {
		if m.Method == protocol.MethodWindowShowMessageRequest {
			p := decodeParams[protocol.ShowMessageRequestParams](t, m.Params)
			require.Equal(t, "Forge: add Sub: 3 hunks in 2 files (go test pass). The model says: It subtracts, as asked", p.Message)
			for _, a := range p.Actions {
				titles = append(titles, a.Title)
			}
		}
	}
	return titles
}

func TestPreview_ShowLeadsToTheFirstHunk(t *testing.T) {
	bubble(t, func(t *testing.T) {
		e := &fakeEngine{script: proposing(calcChange())}
		d := start(t, map[string]string{"calc.go": calcGo}, e, func(p *protocol.InitializeParams) {
			p.Capabilities.Window.ShowDocument = &protocol.ShowDocumentClientCapabilities{Support: true}
		})
		d.Handle(protocol.MethodWindowShowMessageRequest, choosing("Show"))
		d.Handle(protocol.MethodWindowShowDocument, func([]byte) (any, error) { return &protocol.ShowDocumentResult{Success: true}, nil })
		d.proposal()
		p := decodeParams[protocol.ShowDocumentParams](t, d.Expect(protocol.MethodWindowShowDocument, nil))
		require.Equal(t, d.uri("calc.go"), p.URI)
		require.EqualValues(t, 2, p.Selection.Start.Line)
	})
}

// A rich client asks for the proposal as soon as it hears of it, which may be before the run has ended.
func TestPreview_AnnouncedProposalIsWaitedFor(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ready := proposing(calcChange())
		e := &fakeEngine{script: func(ctx context.Context, r *scriptedRun) execution.Result {
			defer pause(500)
			return ready(ctx, r)
		}}
		d := start(t, map[string]string{"calc.go": calcGo}, e, rich)
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x"}, nil))
		d.Expect(api.EventMethod, func(p []byte) bool { return strings.Contains(string(p), `"type":"proposal"`) })
		var p api.Proposal
		require.NoError(t, d.execute(api.ShowProposal, api.ProposalRef{ProposalID: "p-r1"}, &p))
		require.Equal(t, "p-r1", p.ProposalID)
	})
}

func TestPreview_WithoutAnnotationsShowsHints(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t, rich)
		var result api.ApplyResult
		require.NoError(t, d.execute(api.PreviewProposal, nil, &result))
		require.Equal(t, []string{"skipped", "skipped"}, states(result))
		require.Len(t, d.shown(d.uri("calc.go")), 2)
		require.Equal(t, calcGo, d.Text(d.uri("calc.go")), "a preview writes nothing unseen")
	})
}

// A client that announces annotations, and applies an edit that has them without asking, gets hints: a preview would be an accept.
func TestPreview_ShowsHintsToAClientThatDoesNotAskAboutAnnotations(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t, annotating, func(p *protocol.InitializeParams) { p.ClientInfo = protocol.ClientInfo{Name: "kakoune-lsp"} })
		var result api.ApplyResult
		require.NoError(t, d.execute(api.PreviewProposal, nil, &result))
		require.Equal(t, []string{"skipped", "skipped"}, states(result))
		require.Len(t, d.shown(d.uri("calc.go")), 2)
		require.Equal(t, calcGo, d.Text(d.uri("calc.go")))
		one := api.PreviewArgs{Select: &api.Select{Hunks: []string{"f1h1"}}}
		require.ErrorContains(t, d.execute(api.PreviewProposal, one, nil), "select: this client shows all of a proposal")
	})
}

func TestPreview_UndoIsAProposal(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t, rich)
		d.apply(nil)
		d.engine.undo = func(_, id string) (*proposal.Proposal, error) {
			back := patch.FileChange{Path: "calc.go", Before: bothCalc, After: calcGo}
			return proposal.New("p-undo", "undo."+id, "Undo: add Sub", patch.ChangeSet{Files: []patch.FileChange{back}}, nil, nil), nil
		}
		var p api.Proposal
		require.NoError(t, d.execute(api.Undo, nil, &p))
		require.Equal(t, "p-undo", p.ProposalID)
		require.Equal(t, "open", p.State)
		require.Equal(t, bothCalc, d.Text(d.uri("calc.go")), "undo is previewed, too")
		require.Equal(t, []string{"applied"}, states(d.apply(nil)))
		require.Equal(t, calcGo, d.Text(d.uri("calc.go")))
	})
	bubble(t, func(t *testing.T) {
		d := start(t, nil, &fakeEngine{})
		require.ErrorContains(t, d.execute(api.Undo, nil, nil), "there is nothing to undo in file://")
	})
}

// The lists of runs and of proposals are those of a folder that is named.
func TestPreview_ListsAreOfTheFolder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		roots := []string{t.TempDir(), t.TempDir()}
		d := start(t, nil, &fakeEngine{script: proposing(patch.FileChange{Path: "new.txt", Kind: patch.Create, After: "x\n"})}, folders(roots...))
		for _, root := range roots {
			require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x", Folder: string(uri.File(root)), Wait: true}, nil))
		}
		for i, root := range roots {
			var runs api.RunsResult
			require.NoError(t, d.execute(api.Runs, api.RunsArgs{InFolder: api.InFolder{Folder: string(uri.File(root))}}, &runs))
			require.Len(t, runs.Runs, 1)
			require.Equal(t, fmt.Sprintf("r%d", i+1), runs.Runs[0].RunID)
			var list api.ProposalList
			require.NoError(t, d.execute(api.ListProposals, api.ProposalsArgs{Folder: string(uri.File(root))}, &list))
			require.Len(t, list.Proposals, 1)
			require.Equal(t, runs.Runs[0].RunID, list.Proposals[0].RunID)
		}
		for _, command := range []string{api.Runs, api.ListProposals} {
			require.ErrorContains(t, d.execute(command, map[string]string{"folder": "file:///elsewhere"}, nil), "is not open")
			var all map[string][]any
			require.NoError(t, d.execute(command, nil, &all))
			require.Len(t, slices.Concat(all["runs"], all["proposals"]), 2, command)
		}
	})
}

// A proposal that is only returned is not the last one, and not in the list: only its id leads to it, until the user has decided about it.
func TestPreview_OfADryRunIsNotTheLastProposal(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t, rich)
		d.engine.undo = func(_, id string) (*proposal.Proposal, error) {
			back := patch.FileChange{Path: "calc.go", Before: bothCalc, After: calcGo}
			return proposal.New("p-undo", "undo."+id, "Undo: add Sub", patch.ChangeSet{Files: []patch.FileChange{back}}, nil, nil), nil
		}
		ids := func() (ids []string) {
			var list api.ProposalList
			require.NoError(t, d.execute(api.ListProposals, nil, &list))
			for _, p := range list.Proposals {
				ids = append(ids, p.ProposalID)
			}
			return ids
		}
		var undo, last api.Proposal
		require.NoError(t, d.execute(api.Undo, api.UndoArgs{DryRun: true}, &undo))
		require.Equal(t, "p-undo", undo.ProposalID)
		require.Equal(t, []string{"p-r1"}, ids())
		require.Equal(t, []string{"applied", "applied"}, states(d.apply(nil)), "the proposal of the run")
		require.Equal(t, bothCalc, d.Text(d.uri("calc.go")))

		var result api.ApplyResult
		require.NoError(t, d.execute(api.ApplyProposal, api.ProposalArgs{ProposalID: undo.ProposalID}, &result))
		require.Equal(t, calcGo, d.Text(d.uri("calc.go")))
		require.Equal(t, []string{"p-undo", "p-r1"}, ids())
		require.NoError(t, d.execute(api.ShowProposal, nil, &last))
		require.Equal(t, undo.ProposalID, last.ProposalID)
	})
}

// A run of an earlier session is undone in the folder that it changed, and the user names the folder where only that can tell.
func TestPreview_UndoFindsItsFolder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		other := t.TempDir()
		engine := &fakeEngine{undo: func(root, id string) (*proposal.Proposal, error) {
			if root != other || id != "" && id != "r-old" {
				return nil, fmt.Errorf("%w: every accepted change was undone", history.ErrNothingToUndo)
			}
			back := patch.FileChange{Path: "a.txt", Before: "new", After: "old"}
			return proposal.New("p-undo", "undo."+id, "Undo", patch.ChangeSet{Files: []patch.FileChange{back}}, nil, nil), nil
		}}
		d := start(t, nil, engine, folders(t.TempDir(), other))
		undo := func(a api.UndoArgs) (p api.Proposal, err error) {
			a.DryRun = true
			err = d.execute(api.Undo, a, &p)
			return p, err
		}
		for _, a := range []api.UndoArgs{{RunID: "r-old"}, {Folder: string(uri.File(other))}} {
			p, err := undo(a)
			require.NoError(t, err)
			require.Equal(t, string(uri.File(other)), p.Folder)
		}
		_, err := undo(api.UndoArgs{})
		require.ErrorContains(t, err, "Several folders are open")
		_, err = undo(api.UndoArgs{RunID: "r-other"})
		require.ErrorContains(t, err, "every accepted change was undone")
	})
}
