package lsp_test

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"

	"forge/patch"
)

// notes returns the edits that the engine has noted: those that were to be sent, and how many of them have an end.
func (e *fakeEngine) notes() (planned []patch.ChangeSet, closed int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]patch.ChangeSet(nil), e.planned...), e.closed
}

// An edit is noted before it is sent to the client, and every note has an end: if this process died in between,
// the next one would find it.
func TestApply_AnEditIsNotedBeforeItIsSent(t *testing.T) {
	refusal := "no"
	for name, c := range map[string]struct {
		answer protocol.ApplyWorkspaceEditResult // when the client does not apply
		honest bool
		sent   int
		open   int // notes that have no end yet: the edit may still come
	}{
		"applied": {honest: true, sent: 1},
		"refused": {answer: protocol.ApplyWorkspaceEditResult{FailureReason: &refusal}, sent: 3},
		"lied":    {answer: protocol.ApplyWorkspaceEditResult{Applied: true}, sent: 1, open: 1},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := startWithCalc(t)
				own := d.applyEdit()
				sent := 0
				d.Handle(protocol.MethodWorkspaceApplyEdit, func(params []byte) (any, error) {
					sent++
					planned, closed := d.engine.notes()
					require.Len(t, planned, sent)
					require.Equal(t, sent-1, closed, "those before it have an end")
					want := patch.ChangeSet{Files: []patch.FileChange{{Path: "calc.go", Before: calcGo, After: bothCalc}, docChange()}}
					require.Empty(t, cmp.Diff(want, planned[sent-1]))
					if c.honest {
						return own(params)
					}
					return &c.answer, nil
				})
				d.apply(nil)
				require.Equal(t, c.sent, sent)
				_, closed := d.engine.notes()
				require.Equal(t, c.sent-c.open, closed)
				pause(11 * 60_000) // the wait for a late edit has ended
				synctest.Wait()
				_, closed = d.engine.notes()
				require.Equal(t, c.sent, closed)
			})
		})
	}
}
