package engine

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/flow"
	"forge/engine/history"
	"forge/engine/permission"
	"forge/engine/workspace"
)

// beginAs is a run that a version of Forge began whose runs are of a kind, and that its process left.
func (d *harness) beginAs(e *Engine, id, kind string) { d.begin(e, id, kind, `{}`) }

// begin is beginAs with the parameters of the run.
func (d *harness) begin(e *Engine, id, kind, params string) {
	d.t.Helper()
	p, err := e.state.Project(d.root)
	require.NoError(d.t, err)
	store, err := p.Store()
	require.NoError(d.t, err)
	lease, err := store.Begin(d.t.Context(), flow.NewRun{
		ID: id, Kind: kind, Folder: d.root, Title: "put two into b", Input: json.RawMessage(params),
	})
	require.NoError(d.t, err)
	require.NoError(d.t, lease.Release(d.t.Context()))
}

// A run of another version is reported, and neither offered nor resumed: its journal fits none of this one's steps.
func TestResume_RefusesARunOfAnotherVersion(t *testing.T) {
	t.Parallel()
	d := newHarness(t, sayExecutor)
	e := d.open()
	d.beginAs(e, "r-former", "pipeline/1")
	d.beginAs(e, "r-own", execution.KindOfRun)

	runs, err := e.Runs(t.Context(), d.root)
	require.NoError(t, err)
	require.Len(t, runs, 2, "both are listed")
	require.Equal(t, []bool{false, true}, []bool{runs[0].Foreign, runs[1].Foreign})
	require.Equal(t, event.Interrupted, runs[1].State)

	for name, list := range map[string]func() ([]history.Run, error){
		"resumable":   func() ([]history.Run, error) { return e.Resumable(t.Context(), d.root) },
		"interrupted": func() ([]history.Run, error) { return e.Interrupted(t.Context(), d.root) },
	} {
		offered, err := list()
		require.NoError(t, err)
		require.Len(t, offered, 1, name)
		require.Equal(t, "r-own", offered[0].ID, "the twin is offered")
	}

	_, err = e.Resume(t.Context(), "r-former", d.asker, execution.Limits{})
	require.ErrorIs(t, err, execution.ErrOtherVersion)
	require.EqualError(t, err, "resume run r-former: another version of Forge began the run, and this one takes other steps: it cannot continue where it was. "+
		"Its log is still shown; to repeat the work, start a run with the same task: put two into b")
	require.Zero(t, d.calls())
}

// What checks a change of an offline run downloads nothing, either.
func TestLocal_IsARunThatMustStayOnThisMachine(t *testing.T) {
	t.Parallel()
	d := newHarness(t, sayExecutor)
	e := d.open()
	for id, c := range map[string]struct {
		params string
		want   bool
	}{
		"r-flag": {`{"Offline": true}`, true}, "r-mode": {`{"Mode": "offline-safe"}`, true}, "r-other": {`{"Mode": "fast"}`, false},
	} {
		d.begin(e, id, execution.KindOfRun, c.params)
		require.Equal(t, c.want, e.local(t.Context(), id), id)
	}
	require.False(t, e.local(t.Context(), "a-1"))
}

// A request is made again as it was, except for what the user allowed for the first run only.
func TestAgain_KeepsTheRequestWithoutItsPermissions(t *testing.T) {
	t.Parallel()
	d := newHarness(t, sayExecutor)
	e := d.open()
	d.begin(e, "r-first", execution.KindOfRun, `{"Task": "add it", "Recipe": "fix", "Mode": "fast", "Offline": true, "Model": "a/b",
		"Flags": {"Shell": true, "Network": true, "MCP": true, "Skip": true, "Strict": true, "NonInteractive": true}}`)
	r, err := e.Again(t.Context(), "r-first", "", workspace.Snapshot{Root: d.root})
	require.NoError(t, err)
	require.Equal(t, Request{
		Task: "add it", Recipe: "fix", Mode: "fast", Offline: true, Model: "a/b", Flags: permission.Flags{Strict: true}, Snapshot: workspace.Snapshot{Root: d.root},
	}, r)
}
