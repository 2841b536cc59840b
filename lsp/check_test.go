package lsp_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"

	"forge/api"
	"forge/engine/checks"
	"forge/engine/execution"
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
func checkedCalc(t *testing.T, g trying, changes ...capable) *harness {
	t.Helper()
	e := &fakeEngine{script: proposing(calcChange(), docChange())}
	e.gates = g
	d := start(t, map[string]string{"calc.go": calcGo, "doc.go": docGo}, e, changes...)
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
		require.ErrorContains(t, d.execute(api.CheckProposal, api.CheckArgs{What: "accepted"}, nil), "what: nothing of this proposal is accepted")
		require.Empty(t, tried, "nothing else is checked in its place")
		d.apply(nil, "f1h1")
		d.Edit(d.uri("calc.go"), insert(0, "// typed\n"))
		var p api.Proposal
		require.NoError(t, d.execute(api.CheckProposal, api.CheckArgs{What: "accepted"}, &p))
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

// trials are what gates were asked to try. The server adds to them while the test reads.
type trials struct {
	mu    sync.Mutex
	tried []checks.Trial
}

func (tr *trials) all() []checks.Trial {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return slices.Clone(tr.tried)
}

// passing passes, and keeps what it was asked to try.
func passing(tr *trials) trying {
	return trying{try: func(_ context.Context, _ workspace.Snapshot, trial checks.Trial, _ func(gate.Report)) ([]gate.Report, error) {
		tr.mu.Lock()
		defer tr.mu.Unlock()
		tr.tried = append(tr.tried, trial)
		return []gate.Report{{Gate: "go test", Verdict: gate.Pass}, {Gate: "go vet", Verdict: gate.Pass}}, nil
	}}
}

func (d *harness) amend(text string) api.Proposal {
	d.t.Helper()
	var p api.Proposal
	require.NoError(d.t, d.execute(api.AmendProposal, api.AmendArgs{Path: "calc.go", Text: text}, &p))
	return p
}

// The user's own version is checked without a command, once they have paused: what was typed in between is not tried.
func TestCheck_AnEditedProposalIsCheckedByItself(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var tried trials
		d := checkedCalc(t, passing(&tried), rich)
		d.apply(nil, "f1h2")
		for _, name := range []string{"them", "both", "two ints"} {
			p := d.amend(strings.Replace(bothCalc, "two numbers", name, 1))
			require.Equal(t, []string{"amended", "checking"}, []string{p.Checks.Of, p.Checks.State})
			pause(300)
			require.Empty(t, tried.all())
		}
		changed := decodeParams[api.ProposalChanged](t, d.Expect(api.ProposalMethod, nil))
		require.Equal(t, "p-r1", changed.ProposalID)
		require.Len(t, tried.all(), 1)
		require.Contains(t, tried.all()[0].With.Files[0].After, "two ints")
		p := d.get("")
		require.Equal(t, []string{"amended", "checked"}, []string{p.Checks.Of, p.Checks.State})
		require.Len(t, p.Checks.Gates, 2)
		d.amend(strings.Replace(bothCalc, "two numbers", "two ints", 1))
		pause(5000)
		require.Len(t, tried.all(), 1, "a save without a change")
	})
}

// A part that was accepted is checked without a command, as it is in the files. A further decision ends that check, and when all is accepted the
// checks of the run count.
func TestCheck_AnAcceptedPartIsCheckedByItself(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var tried trials
		d := checkedCalc(t, passing(&tried), rich)
		result := d.apply(nil, "f1h1")
		require.Equal(t, []string{"part", "checking"}, []string{result.Checks.Of, result.Checks.State})
		require.Contains(t, result.Message, "judge this part")
		pause(300)
		require.Empty(t, tried.all(), "the user may go on")
		d.apply(nil, "f1h2")
		d.Expect(api.ProposalMethod, nil)
		require.Len(t, tried.all(), 1)
		require.Empty(t, tried.all()[0].With.Files, "what was accepted is in the folder")
		require.Equal(t, calcGo, tried.all()[0].Without.Files[0].After)
		p := d.get("")
		require.Equal(t, []string{"part", "checked"}, []string{p.Checks.Of, p.Checks.State})
		require.Len(t, p.Checks.Gates, 2)

		require.NoError(t, d.execute(api.RejectProposal, api.RejectArgs{}, nil))
		pause(5000)
		require.Len(t, tried.all(), 1, "what was accepted is the same")
		require.Equal(t, "checked", d.get("").Checks.State)
	})
}

// Nothing is tried for what gates have judged as a whole, have never judged, or for a part that was not accepted.
func TestCheck_ByItselfIsOfAPartOnly(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var tried trials
		d := checkedCalc(t, passing(&tried), rich)
		require.NoError(t, d.execute(api.RejectProposal, api.RejectArgs{Select: &api.Select{Hunks: []string{"f1h1"}}}, nil))
		pause(5000)
		require.Equal(t, "unchecked", d.get("").Checks.State)
		require.Empty(t, tried.all(), "rejected, and nothing accepted")
	})
	bubble(t, func(t *testing.T) {
		var tried trials
		d := checkedCalc(t, passing(&tried), rich)
		d.apply(nil, "f1h1")
		d.apply(nil)
		pause(5000)
		require.Equal(t, []string{"whole", "checked"}, []string{d.get("").Checks.Of, d.get("").Checks.State})
		require.Empty(t, tried.all(), "accepted in two steps")
	})
	bubble(t, func(t *testing.T) {
		var tried trials
		e := &fakeEngine{script: func(ctx context.Context, r *scriptedRun) execution.Result {
			result := proposing(calcChange())(ctx, r)
			result.Proposal.Gates = nil
			return result
		}}
		e.gates = passing(&tried)
		d := start(t, map[string]string{"calc.go": calcGo}, e, rich)
		d.Open(d.uri("calc.go"), "go", calcGo)
		d.proposal()
		d.apply(nil, "f1h1")
		pause(5000)
		require.Equal(t, []string{"part", "unchecked"}, []string{d.get("").Checks.Of, d.get("").Checks.State})
		require.Empty(t, tried.all(), "of what no gate has judged")
	})
}

// An editor without a view of proposals hears the verdict as a message.
func TestCheck_ByItselfIsReportedToPlainEditors(t *testing.T) {
	for name, c := range map[string]struct {
		gates trying
		says  string
	}{
		"passed":     {passing(&trials{}), "is checked: 2 gates passed"},
		"not passed": {trying{try: complain}, "does not pass go vet"},
		"not run": {trying{try: func(context.Context, workspace.Snapshot, checks.Trial, func(gate.Report)) ([]gate.Report, error) {
			return []gate.Report{{Gate: "npm", Verdict: gate.NotRun}}, nil
		}}, "was not checked: no gate ran: npm"},
		"an error": {trying{try: func(context.Context, workspace.Snapshot, checks.Trial, func(gate.Report)) ([]gate.Report, error) {
			return nil, errors.New("the disk is full")
		}}, "was not checked: the disk is full"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := checkedCalc(t, c.gates)
				d.apply(nil, "f1h1")
				d.Expect(protocol.MethodWindowShowMessage, func(p []byte) bool { return strings.Contains(string(p), "the accepted part "+c.says) })
				d.amend(strings.Replace(bothCalc, "two numbers", "them", 1))
				d.Expect(protocol.MethodWindowShowMessage, func(p []byte) bool { return strings.Contains(string(p), "your version "+c.says) })
			})
		})
	}
}

// A check that runs by itself never holds up accepting, gives way to a further edit and to a check on request, and is cancelled in its progress.
func TestCheck_ByItselfIsInNobodysWay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		begun, ended := make(chan string, 9), make(chan string, 9)
		d := checkedCalc(t, trying{try: func(ctx context.Context, _ workspace.Snapshot, trial checks.Trial, _ func(gate.Report)) ([]gate.Report, error) {
			text := trial.With.Files[0].After
			begun <- text
			if strings.Contains(text, "for good") {
				return []gate.Report{{Gate: "go test", Verdict: gate.Pass}}, nil
			}
			<-ctx.Done()
			ended <- text
			return nil, ctx.Err()
		}}, rich)
		version := func(name string) string { return strings.Replace(bothCalc, "two numbers", name, 1) }
		d.amend(version("one"))
		require.Contains(t, <-begun, "one")
		d.amend(version("two"))
		require.Contains(t, <-ended, "one", "a further edit ends the check of the one before")
		require.Contains(t, <-begun, "two")
		require.Equal(t, []string{"applied"}, states(d.apply(nil, "f1h2")), "while it runs")
		require.Equal(t, "checking", d.get("").Checks.State)
		d.Notify(protocol.MethodWindowWorkDoneProgressCancel, &protocol.WorkDoneProgressCancelParams{Token: protocol.String("forge/check/p-r1")})
		require.Contains(t, <-ended, "two")
		d.Expect(api.ProposalMethod, nil)
		require.Equal(t, "unchecked", d.get("").Checks.State)

		d.amend(version("three"))
		require.Contains(t, <-begun, "three")
		d.amend(version("for good"))
		var p api.Proposal
		require.NoError(t, d.execute(api.CheckProposal, api.CheckArgs{}, &p))
		require.Equal(t, "checked", p.Checks.State, "on request, without a wait")
		require.Contains(t, <-begun, "for good")
		pause(10_000)
		require.Empty(t, begun, "it is checked")
	})
}

// A rejection makes another version of an edited proposal.
func TestCheck_AnEditedProposalIsCheckedAgainAfterARejection(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var tried trials
		d := checkedCalc(t, passing(&tried))
		says := func(p []byte) bool { return strings.Contains(string(p), "your version is checked") }
		d.amend(strings.Replace(bothCalc, "two numbers", "them", 1))
		d.Expect(protocol.MethodWindowShowMessage, says)
		require.NoError(t, d.execute(api.RejectProposal, api.RejectArgs{Select: &api.Select{Files: []string{"doc.go"}}}, nil))
		require.Equal(t, "checking", d.get("").Checks.State)
		d.Expect(protocol.MethodWindowShowMessage, says)
		require.Len(t, tried.all(), 2)
		require.Len(t, tried.all()[1].With.Files, 1)
	})
}
