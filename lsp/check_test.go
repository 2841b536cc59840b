package lsp_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"

	"forge/api"
	"forge/engine/checks"
	"forge/engine/gate"
	"forge/engine/workspace"
)

// trying are gates that judge a change as a function does.
type trying struct {
	fakeGates
	try func(ctx context.Context, s workspace.Snapshot, t checks.Trial, tell func(gate.Report)) ([]gate.Report, error)
}

func (g trying) Try(ctx context.Context, s workspace.Snapshot, t checks.Trial, tell func(gate.Report)) ([]gate.Report, error) {
	return g.try(ctx, s, t, tell)
}

// complain finds a fault in line 4 of doc.go.
func complain(_ context.Context, _ workspace.Snapshot, _ checks.Trial, tell func(gate.Report)) ([]gate.Report, error) {
	found := gate.Finding{Path: "doc.go", Line: 4, Severity: gate.SeverityError, Message: "it is bad"}
	report := gate.Report{Gate: "go vet", Verdict: gate.Fail, Findings: []gate.Finding{found}}
	tell(report)
	return []gate.Report{report}, nil
}

// checkedCalc is a session with a proposal, and gates.
func checkedCalc(t *testing.T, g trying, changes ...capable) *desk {
	t.Helper()
	e := &fakeEngine{script: proposing(calcChange(), docChange())}
	e.gates = g
	d := sit(t, map[string]string{"calc.go": calcGo, "doc.go": docGo}, e, changes...)
	d.Open(d.uri("calc.go"), "go", calcGo)
	d.proposal()
	return d
}

func TestCheck_TriesWhatIsTaken(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var tried []checks.Trial
		d := checkedCalc(t, trying{try: func(ctx context.Context, s workspace.Snapshot, trial checks.Trial, tell func(gate.Report)) ([]gate.Report, error) {
			tried = append(tried, trial)
			require.Contains(t, s.Unsaved, "calc.go", "unsaved texts count")
			return complain(ctx, s, trial, tell)
		}}, rich)
		d.apply(nil, "f1h1")
		d.Edit(d.uri("calc.go"), insert(0, "// typed\n"))
		var p api.Proposal
		require.NoError(t, d.execute(api.CheckProposal, api.CheckArgs{}, &p))
		require.Empty(t, tried[0].With.Files, "what was accepted is in the folder")
		require.Equal(t, "// typed\n"+calcGo, tried[0].Without.Files[0].After, "what the user typed is not of the change")
		require.Equal(t, []string{"part", "checked"}, []string{p.Checks.Of, p.Checks.State})
		require.NoError(t, d.execute(api.CheckProposal, api.CheckArgs{What: "open"}, &p))
		require.Equal(t, []string{"// typed\n" + bothCalc, docChange().After}, []string{tried[1].With.Files[0].After, tried[1].With.Files[1].After})
		pause(100)
		found := d.shown(d.uri("doc.go"))
		require.Len(t, found, 1)
		require.EqualValues(t, 2, found[0].Range.Start.Line, "line 4 is proposed, and there are two")
	})
}

func TestCheck_ShowsProgressAndIsCancelled(t *testing.T) {
	bubble(t, func(t *testing.T) {
		begun := make(chan struct{})
		d := checkedCalc(t, trying{try: func(ctx context.Context, _ workspace.Snapshot, _ checks.Trial, _ func(gate.Report)) ([]gate.Report, error) {
			close(begun)
			<-ctx.Done()
			return nil, ctx.Err()
		}}, rich)
		check := d.Post(protocol.MethodWorkspaceExecuteCommand, executeParams(t, api.CheckProposal, api.CheckArgs{}))
		<-begun
		require.Equal(t, "checking", d.get("").Checks.State)
		require.ErrorContains(t, d.execute(api.CheckProposal, api.CheckArgs{}, nil), "being checked already")
		d.Expect(protocol.MethodProgress, func(p []byte) bool { return strings.Contains(string(p), "forge/check/p-r1") })
		d.Notify(protocol.MethodWindowWorkDoneProgressCancel, &protocol.WorkDoneProgressCancelParams{Token: protocol.String("forge/check/p-r1")})
		require.Error(t, d.Await(check, nil))
		synctest.Wait()
		require.Equal(t, "checked", d.get("").Checks.State, "what the run checked still counts for the whole")
	})
}
