package lsp_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/api"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/history"
	"forge/lsp"
	"forge/lsp/lsptest"
)

// cutOff is an engine in which a run was interrupted twelve minutes ago, and one an hour before.
func cutOff() *fakeEngine {
	then := time.Now().Add(-12*time.Minute - time.Second)
	return &fakeEngine{fakeStore: fakeStore{
		interrupted: []history.Run{
			{ID: "r-old", Title: "rename Sub", State: event.Interrupted, Active: then.Add(-time.Hour)},
			{ID: "r-new", Title: "add\x1b[1m Sub", State: event.Interrupted, Active: then},
		},
		told: []event.Event{
			{RunID: "r-new", Seq: 1, Time: then, Data: event.RunStarted{Task: "add Sub", Folder: "/w"}},
			{RunID: "r-new", Seq: 2, Time: then, Data: event.ModelCalled{Node: "spec", Input: 5, Output: 6}},
		},
	}}
}

// asked is a session whose editor answers every question alike.
type asked struct {
	*harness
	asked chan protocol.ShowMessageRequestParams
}

// sitAnswering starts a session on a folder; the answer is the title of an action, or empty to dismiss.
func sitAnswering(t *testing.T, e *fakeEngine, answer string, changes ...capable) asked {
	t.Helper()
	d := asked{
		harness: &harness{Editor: lsptest.Start(t, lsp.Options{Engine: e.parts()}), t: t, engine: e, root: t.TempDir()},
		asked:   make(chan protocol.ShowMessageRequestParams, 10),
	}
	d.Handle(protocol.MethodWindowShowMessageRequest, func(params []byte) (any, error) {
		var q protocol.ShowMessageRequestParams
		err := protocol.Unmarshal(params, &q)
		d.asked <- q
		if i := slices.IndexFunc(q.Actions, func(a protocol.MessageActionItem) bool { return a.Title == answer }); err == nil && i >= 0 {
			return &q.Actions[i], nil
		}
		return nil, err
	})
	d.Initialize(func(p *protocol.InitializeParams) {
		p.WorkspaceFolders = protocol.NewNullable([]protocol.WorkspaceFolder{{URI: uri.File(d.root), Name: "w"}})
		for _, change := range changes {
			change(p)
		}
	})
	return d
}

func TestInterrupted_AnInterruptedRunIsOfferedOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer string
		says   string // a message that follows; empty for none
	}{
		"not now":   {"Not now", ""},
		"dismissed": {"", ""},
		"show":      {"Show", "model: 5 → 6 tokens"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := cutOff()
			e.resume = func(string, event.Asker) (*execution.Run, error) {
				t.Error("nothing is resumed without a yes")
				return nil, errors.New("not wanted")
			}
			d := sitAnswering(t, e, c.answer)
			q := <-d.asked
			require.Contains(t, q.Message, `a run was interrupted: "add\u001b[1m Sub" (12 minutes ago). Resume it?`)
			require.Contains(t, q.Message, "the last of 2")
			if c.says != "" {
				d.Expect(protocol.MethodWindowShowMessage, func(params []byte) bool { return strings.Contains(string(params), c.says) })
			}
			require.Zero(t, d.Shutdown())
			require.Empty(t, d.asked, "one question")
		})
	}
}

// In an editor that is closed and started again at once, a run is offered whose server is still stopping.
func TestInterrupted_ARunIsOfferedWhoseServerIsStillStopping(t *testing.T) {
	bubble(t, func(t *testing.T) {
		e, begun := cutOff(), time.Now()
		e.stopping = func() bool { return time.Since(begun) < 1500*time.Millisecond }
		d := sitAnswering(t, e, "Not now")
		q := <-d.asked
		require.Contains(t, q.Message, "a run was interrupted")
		require.GreaterOrEqual(t, time.Since(begun), 1500*time.Millisecond)
		require.Zero(t, d.Shutdown())
	})
}

func TestInterrupted_AnInterruptedRunIsResumedOnAYes(t *testing.T) {
	t.Parallel()
	e := cutOff()
	e.resume = func(id string, _ event.Asker) (*execution.Run, error) {
		log := event.Restore(id, time.Now, e.told)
		run, end := execution.NewRun(id, "add Sub", "/w", log, func() {})
		run.Resumed = len(e.told)
		log.Append(event.RunResumed{Model: "scripted"})
		end(execution.Result{State: event.Succeeded})
		return run, nil
	}
	d := sitAnswering(t, e, "Resume", rich)
	<-d.asked
	var seqs []int
	for range 2 {
		sent := decodeParams[api.Event](t, d.Expect(api.EventMethod, nil))
		require.Equal(t, "r-new", sent.RunID)
		seqs = append(seqs, sent.Seq)
	}
	require.Equal(t, []int{3, 4}, seqs, "events from before the resume are not repeated")
	var runs api.RunsResult
	require.NoError(t, d.execute(api.Runs, api.NoArgs{}, &runs))
	require.Len(t, runs.Runs, 1)
	require.Equal(t, "succeeded", runs.Runs[0].State)
}

func TestInterrupted_NothingIsOfferedInAnUntrustedFolder(t *testing.T) {
	t.Parallel()
	e := cutOff()
	e.untrusted = true
	d := sitAnswering(t, e, "Resume")
	var status api.StatusResult
	require.NoError(t, d.execute(api.Status, api.NoArgs{}, &status))
	require.Zero(t, d.Shutdown(), "after which nothing is asked any more")
	require.Empty(t, d.asked)
}

func TestInterrupted_UnresumableRunReportsTheReason(t *testing.T) {
	t.Parallel()
	e := cutOff()
	e.resume = func(string, event.Asker) (*execution.Run, error) { return nil, execution.ErrOtherVersion }
	d := sitAnswering(t, e, "Resume")
	<-d.asked
	d.Expect(protocol.MethodWindowShowMessage, func(params []byte) bool {
		return strings.Contains(string(params), "another version of Forge began the run")
	})
}

// A run that is resumed has proposed something before: the user need not wait for its end to decide about that.
func TestResume_TheEarlierProposalIsThereWhileTheRunGoesOn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		e := &fakeEngine{script: proposing(calcChange())}
		e.resume = func(id string, _ event.Asker) (*execution.Run, error) {
			earlier := []event.Event{{RunID: id, Seq: 1, Data: event.ProposalReady{ProposalID: "p-" + id}}}
			ctx, cancel := context.WithCancel(context.Background())
			run, end := execution.NewRun(id, "add Sub", "/w", event.Restore(id, time.Now, earlier), cancel)
			run.Resumed = len(earlier)
			e.running.Go(func() {
				<-ctx.Done()
				end(execution.Result{State: event.Cancelled})
			})
			return run, nil
		}
		var d *harness
		e.ended = func() history.Run { return history.Run{ID: "r1", Root: d.root, State: event.Failed} }
		d = start(t, map[string]string{"calc.go": calcGo}, e)
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x", Wait: true}, nil))
		require.NoError(t, d.execute(api.Resume, api.ResumeArgs{RunID: "r1"}, nil))
		var shown api.Proposal
		require.NoError(t, d.execute(api.ShowProposal, api.ProposalRef{ProposalID: "p-r1"}, &shown))
		require.Equal(t, "open", shown.State)
	})
}
