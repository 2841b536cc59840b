package crash

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"

	"forge/api"
	"forge/engine/gitdir"
)

// onQuestion does something before the user of a session answers a clarification.
func (s *session) onQuestion(do func()) {
	s.Handle(protocol.MethodWindowShowMessageRequest, func(params []byte) (any, error) {
		var q protocol.ShowMessageRequestParams
		if err := protocol.Unmarshal(params, &q); err != nil {
			return nil, err
		}
		if len(q.Actions) > 0 && q.Actions[0].Title == "whole ones" {
			do()
		}
		return s.answer(params)
	})
}

// Two servers work in one folder. The second one cannot take the run of the first while that lives, and resumes it
// when that has been killed, without repeating any work.
func TestServers_SecondTakesOverAfterAKill(t *testing.T) {
	t.Parallel()
	d := newStage(t, t.TempDir()).quick().editor()
	first := d.open(mortal{t, make(chan string, 1)}, never)
	asked, dead := make(chan struct{}), make(chan struct{})
	first.onQuestion(func() {
		close(asked)
		<-dead // the user thinks about it for too long
	})
	first.begin()
	var run api.RunResult
	require.NoError(t, first.execute(api.Run, api.RunArgs{Task: request, Approve: "edits"}, &run))
	<-asked

	second := d.open(t, never)
	second.begin()
	refused := second.execute(api.Resume, api.ResumeArgs{RunID: run.RunID}, nil)
	require.ErrorContains(t, refused, "worked on", "the first one is alive")
	var takenOver time.Time
	second.onQuestion(func() { takenOver = time.Now() })

	first.kill()
	killed := time.Now()
	close(dead)
	require.Eventually(t, d.treesAreFree, gone, glance, "a process that the first one was just starting holds its locks a moment longer")
	require.NoError(t, second.execute(api.Resume, api.ResumeArgs{RunID: run.RunID, Wait: true}, &run))
	require.NoError(t, second.accept(run))
	t.Logf("the question of the first server was asked by the second %v after the first was killed", takenOver.Sub(killed))
	require.True(t, takenOver.After(killed), "the unanswered question was asked again")
	second.rest()
	require.Equal(t, withTyped(after()), d.seen())
	require.Empty(t, d.boughtAgain())
	require.Zero(t, second.Shutdown())
	d.requireNothingLeft("after a take-over")
}

// treesAreFree reports whether no process holds the lock of a scratch tree.
func (s *stage) treesAreFree() bool {
	owners, err := filepath.Glob(filepath.Join(s.base, "home/shadow/*/trees/*/owner"))
	require.NoError(s.t, err)
	for _, owner := range owners {
		lock, err := gitdir.TryLock(owner)
		if err != nil {
			return false
		}
		require.NoError(s.t, lock.Close())
	}
	return true
}

// A server that has the folder open meets an apply that a terminal has left half done: it is taken back before anything
// is planned, and then all of it is made.
func TestServers_RecoverAHalfDoneApply(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"apply.rename.after:2", "apply.record.before"} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			defer one()()
			d := newStage(t, t.TempDir()).quick().editor()
			server := d.open(t, never)
			server.begin()
			cut := d.run(at(place))
			require.True(t, cut.killed, cut.output)
			var run api.RunResult
			require.NoError(t, server.execute(api.Resume, api.ResumeArgs{RunID: d.known()[0], Wait: true}, &run))
			require.NoError(t, server.accept(run))
			server.Save(d.uri("notes.txt"))
			server.rest()
			require.Equal(t, withTyped(after()), d.seen())
			require.Zero(t, server.Shutdown())
			d.requireNothingLeft(place)
			undo := d.live(never, "undo", "--yes")
			require.Zero(t, undo.code, undo.output)
			require.Equal(t, withTyped(before())["notes.txt"], d.files()["notes.txt"])
		})
	}
}

// A server that only opens the folder clears away what a killed run has left in it and in Forge's own state.
func TestServers_OpeningSweepsLeftovers(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"shadow.tree.filled", "run.gate.starting", "apply.rename.after:2", "apply.record.before"} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			defer one()()
			s := newStage(t, t.TempDir()).quick()
			require.True(t, s.run(at(place)).killed)
			require.NotEmpty(t, s.left(), "the check can fail")
			server := s.editor().open(t, never)
			server.begin()
			require.Eventually(t, func() bool { return len(s.left()) == 0 }, gone, glance)
			require.Zero(t, server.Shutdown())
			s.requireNothingLeft(place)
		})
	}
}
