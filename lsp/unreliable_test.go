package lsp_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"

	"forge/api"
	"forge/patch"
)

// The editor is ahead of its notifications: the edit is for a version it no longer has. It is
// computed again when the change is known.
func TestClient_StaleVersionIsTriedAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sitWithCalc(t)
		behind := true
		own := d.applyEdit()
		d.Handle(protocol.MethodWorkspaceApplyEdit, func(params []byte) (any, error) {
			if behind {
				behind = false
				d.Edit(d.uri("calc.go"), insert(0, "// typed\n"))
			}
			return own(params)
		})
		require.Equal(t, []string{"applied", "applied"}, states(d.apply(nil)))
		require.Equal(t, "// typed\n"+bothCalc, d.Text(d.uri("calc.go")))
	})
}

func TestClient_ReportsThreeRefusals(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sitWithCalc(t)
		tries := 0
		d.Handle(protocol.MethodWorkspaceApplyEdit, func([]byte) (any, error) {
			tries++
			reason := "not in the mood"
			return &protocol.ApplyWorkspaceEditResult{FailureReason: &reason}, nil
		})
		result := d.apply(nil)
		require.Equal(t, 3, tries)
		require.Equal(t, []string{"skipped", "skipped"}, states(result))
		require.Equal(t, "the editor refused the edit: not in the mood", result.Files[0].Message)
		require.Empty(t, result.Checkpoint)
		require.Empty(t, d.engine.records())
		d.Expect(protocol.MethodWindowShowMessage, func(params []byte) bool {
			return strings.Contains(string(params), "not in the mood")
		})
	})
}

// "Applied" proves nothing: the server never reports a change in a file that does not have it.
func TestClient_LyingClientIsDetected(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sitWithCalc(t)
		tries := 0
		d.Handle(protocol.MethodWorkspaceApplyEdit, func([]byte) (any, error) {
			tries++
			return &protocol.ApplyWorkspaceEditResult{Applied: true}, nil
		})
		result := d.apply(nil)
		require.Equal(t, 1, tries, "a client that may have asked the user is not asked again")
		require.Equal(t, []string{"skipped", "skipped"}, states(result))
		require.Contains(t, result.Files[0].Message, "it is not in the text")
		require.Empty(t, d.engine.records())
		var p api.Proposal
		require.NoError(t, d.execute(api.ShowProposal, nil, &p))
		require.Equal(t, "pending", p.Files[0].Hunks[0].State)
	})
}

// The twin: a client that is slow to notify, but honest, is believed.
func TestClient_SlowClientIsWaitedFor(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sitWithCalc(t)
		own := d.applyEdit()
		d.Handle(protocol.MethodWorkspaceApplyEdit, func(params []byte) (any, error) {
			go func() {
				pause(1500)
				_, _ = own(params)
			}()
			return &protocol.ApplyWorkspaceEditResult{Applied: true}, nil
		})
		require.Equal(t, []string{"applied", "applied"}, states(d.apply(nil)))
		require.Len(t, d.engine.records(), 1)
	})
}

// Some editors answer "applied" and then ask the user, who takes a minute.
func TestClient_LateEditIsAcceptedAfterAll(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sitWithCalc(t)
		own := d.applyEdit()
		d.Handle(protocol.MethodWorkspaceApplyEdit, func(params []byte) (any, error) {
			go func() {
				pause(60_000)
				_, _ = own(params)
			}()
			return &protocol.ApplyWorkspaceEditResult{Applied: true}, nil
		})
		require.Equal(t, []string{"skipped"}, states(d.apply([]string{"calc.go"})))
		require.Empty(t, d.engine.records())
		pause(61_000)
		synctest.Wait()
		require.Len(t, d.engine.records(), 1)
		var p api.Proposal
		require.NoError(t, d.execute(api.ShowProposal, nil, &p))
		require.Equal(t, "accepted", p.Files[0].Hunks[0].State)
	})
}

// A client may apply a part and say "applied", as one does whose person ticked a part.
func TestClient_PartlyAppliedIsSeenHunkByHunk(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := sitWithCalc(t)
		own := d.applyEdit()
		d.Handle(protocol.MethodWorkspaceApplyEdit, func(params []byte) (any, error) {
			var p protocol.ApplyWorkspaceEditParams
			require.NoError(t, protocol.Unmarshal(params, &p))
			p.Edit.DocumentChanges = p.Edit.DocumentChanges[:1]
			first, _ := p.Edit.DocumentChanges[0].(*protocol.TextDocumentEdit)
			first.Edits = first.Edits[1:]
			part, err := protocol.Marshal(&p)
			require.NoError(t, err)
			return own(part)
		})
		result := d.apply(nil)
		require.Equal(t, []string{"partial", "skipped"}, states(result))
		want := patch.FileChange{Path: "calc.go", Before: calcGo, After: strings.Replace(bothCalc, "adds two numbers.", "adds.", 1)}
		require.Empty(t, cmp.Diff([]patch.ChangeSet{{Files: []patch.FileChange{want}}}, d.engine.records()))
	})
}
