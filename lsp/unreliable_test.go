package lsp_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"

	"forge/patch"
)

// The editor is ahead of its notifications: the edit is for a version it no longer has. It is
// computed again when the change is known.
func TestClient_StaleVersionIsTriedAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t)
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
		d := startWithCalc(t)
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
		d := startWithCalc(t)
		tries := 0
		d.Handle(protocol.MethodWorkspaceApplyEdit, func([]byte) (any, error) {
			tries++
			return &protocol.ApplyWorkspaceEditResult{Applied: true}, nil
		})
		result := d.apply(nil)
		require.Equal(t, 1, tries, "a client that may have asked the user is not asked again")
		require.Equal(t, []string{"sent", "sent"}, states(result))
		require.Contains(t, result.Files[0].Message, "it is not in the text yet")
		require.Empty(t, said(d, "applied"), "nothing is known yet")
		pause(10_500)
		synctest.Wait()
		require.Len(t, said(d, "calc.go, doc.go: the editor said it applied the edit, but it is not in the text yet"), 1)
		require.Empty(t, d.engine.records())
		require.Equal(t, "pending", d.get("").Files[0].Hunks[0].State)
		pause(600_000)
		synctest.Wait()
		require.Equal(t, 1, d.engine.closed, "the note of the edit is settled in the end")
	})
}

// said are the messages that contain a text.
func said(d *harness, text string) (all []string) {
	for _, m := range d.Messages() {
		if m.Method == protocol.MethodWindowShowMessage && strings.Contains(string(m.Params), text) {
			all = append(all, string(m.Params))
		}
	}
	return all
}

// A client that is slow to notify, but honest, is believed.
func TestClient_SlowClientIsWaitedFor(t *testing.T) {
	for name, tc := range map[string]struct {
		after int // milliseconds
		with  []capable
		want  string
	}{
		"it collects changes":         {150, nil, "applied"},
		"a client with a view":        {1500, []capable{rich}, "applied"},
		"it waits for its own answer": {1500, nil, "sent"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := startWithCalc(t, tc.with...)
				own := d.applyEdit()
				d.Handle(protocol.MethodWorkspaceApplyEdit, func(params []byte) (any, error) {
					go func() {
						pause(tc.after)
						_, _ = own(params)
					}()
					return &protocol.ApplyWorkspaceEditResult{Applied: true}, nil
				})
				require.Equal(t, []string{tc.want, tc.want}, states(d.apply(nil)))
				pause(2000)
				synctest.Wait()
				require.Len(t, d.engine.records(), 1)
				if len(tc.with) == 0 {
					require.Len(t, said(d, "2 of 2 files applied"), 1)
				}
				require.Empty(t, said(d, "0 of"))
			})
		})
	}
}

// Emacs reports no change before it has its answer: it is answered first, and what it reports then is verified, also if the user has typed on.
func TestClient_ConfirmsOnlyAfterTheReply(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t)
		own := d.applyEdit()
		var kept []byte
		d.Handle(protocol.MethodWorkspaceApplyEdit, func(params []byte) (any, error) {
			kept = params
			return &protocol.ApplyWorkspaceEditResult{Applied: true}, nil
		})
		begin := time.Now()
		require.Equal(t, []string{"sent"}, states(d.apply([]string{"calc.go"})))
		require.Less(t, time.Since(begin), 500*time.Millisecond, "the editor is frozen until then")
		_, _ = own(kept)
		d.Edit(d.uri("calc.go"), insert(0, "// typed on\n"))
		pause(600)
		synctest.Wait()
		require.Len(t, said(d, "1 of 1 files applied"), 1)
		require.Equal(t, "accepted", d.get("").Files[0].State)
		want := []patch.ChangeSet{{Files: []patch.FileChange{calcChange()}}}
		require.Empty(t, cmp.Diff(want, d.engine.records()), "what was typed is not of the change")
		d.Handle(protocol.MethodWorkspaceApplyEdit, own)
		require.Equal(t, []string{"applied"}, states(d.apply([]string{"doc.go"})))
	})
}

// Some editors answer "applied" and then ask the user, who takes a minute.
func TestClient_LateEditIsAcceptedAfterAll(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t)
		own := d.applyEdit()
		d.Handle(protocol.MethodWorkspaceApplyEdit, func(params []byte) (any, error) {
			go func() {
				pause(60_000)
				_, _ = own(params)
			}()
			return &protocol.ApplyWorkspaceEditResult{Applied: true}, nil
		})
		require.Equal(t, []string{"sent"}, states(d.apply([]string{"calc.go"})))
		require.Empty(t, d.engine.records())
		pause(61_000)
		synctest.Wait()
		require.Len(t, d.engine.records(), 1)
		require.Equal(t, "accepted", d.get("").Files[0].Hunks[0].State)
	})
}

// A client may apply a part and say "applied", as one does whose person ticked a part.
func TestClient_PartlyAppliedIsSeenHunkByHunk(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t)
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
		require.Equal(t, []string{"partial", "sent"}, states(result))
		want := patch.FileChange{Path: "calc.go", Before: calcGo, After: strings.Replace(bothCalc, "adds two numbers.", "adds.", 1)}
		require.Empty(t, cmp.Diff([]patch.ChangeSet{{Files: []patch.FileChange{want}}}, d.engine.records()))
	})
}
