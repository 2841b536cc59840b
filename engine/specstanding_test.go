package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/history"
	"forge/memory"
)

// sayFaults is a reviewer who finds two errors, and something that is none.
const sayFaults = `
- {match: {node: review}, reply: {json: {pass: false, reason: hm, issues: [
    {path: b, startLine: 1, endLine: 1, severity: error, category: other, message: it is wrong},
    {path: b, startLine: 1, endLine: 1, severity: error, category: other, message: it is bad},
    {path: b, startLine: 1, endLine: 1, severity: warning, category: other, message: it is odd}]}}}`

// sayBetter is another edit than sayRight, and as right.
const sayBetter = `
- {match: {node: executor, contains: [You implement]}, reply: {json: {explanation: i, files: [{path: b, action: write, content: one two three}], patch: "", blocked: ""}}}`

// A version of the specification stands as the last review of the run that worked from it has left it.
func TestSpec_Standing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		review string
		state  event.State
		want   history.SpecStanding
	}{
		"errors":                  {sayFaults + sayFaults, event.Blocked, history.SpecStanding{Version: 1, Reviewed: true, Unmet: 2}},
		"nothing":                 {sayPass, event.Succeeded, history.SpecStanding{Version: 1, Reviewed: true}},
		"an unreadable review":    {sayGarbage, event.Blocked, history.SpecStanding{Version: 1}},
		"the last of two reviews": {sayFaults + sayPass, event.Succeeded, history.SpecStanding{Version: 1, Reviewed: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newHarness(t, saySpec+sayTests+sayRight+sayBetter+c.review)
			e := d.open()
			result := d.wait(d.start(e))
			require.Equal(t, c.state, result.State, result.Reason)
			standing, err := e.SpecStanding(t.Context(), d.root, 0)
			require.NoError(t, err)
			require.Equal(t, c.want, standing)
		})
	}
}

// A version without a run has its number, and one with the text of an old one has the standing of that.
func TestSpec_WithoutARun(t *testing.T) {
	t.Parallel()
	d := newHarness(t, saySpec+sayTests+sayRight+sayPass)
	e := d.open()
	_, err := e.SpecStanding(t.Context(), d.root, 0)
	require.ErrorIs(t, err, memory.ErrNotFound)
	require.Equal(t, event.Succeeded, d.wait(d.start(e)).State)
	m, err := e.Memory(t.Context(), d.root)
	require.NoError(t, err)
	_, err = m.SaveSpec(t.Context(), memory.Spec{Text: "b contains three\n", Source: memory.Source{Origin: memory.User}})
	require.NoError(t, err)
	standing, err := e.SpecStanding(t.Context(), d.root, 0)
	require.NoError(t, err)
	require.Equal(t, history.SpecStanding{Version: 2}, standing)
	_, err = e.RollbackSpec(t.Context(), d.root, 1)
	require.NoError(t, err)
	standing, err = e.SpecStanding(t.Context(), d.root, 3)
	require.NoError(t, err)
	require.Equal(t, history.SpecStanding{Version: 3, Reviewed: true}, standing)
	_, err = e.SpecStanding(t.Context(), d.root, 9)
	require.ErrorIs(t, err, memory.ErrNotFound)
}
