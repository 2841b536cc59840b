package lsp

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"go.lsp.dev/protocol"

	"forge/api"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/gate"
	"forge/internal/inert"
	"forge/lsp/editor"
	"forge/lsp/review"
	"forge/lsp/transport"
)

// follower reports runs to the client while they go on, and hands their results on. It owns nothing, and may call the client, the board,
// the reviewer and the pages.
type follower struct {
	session  *editor.Session
	client   *transport.Client
	dialog   *editor.Dialog
	board    *review.Board
	reviewer *review.Reviewer
	pages    *pages
	work     *transport.Tasks
	log      *slog.Logger
}

// follow sends the client everything about a run, in order, until its end. If the session ends first
// it leaves the run, which can be resumed, and follows it until it is quiet.
func (fo *follower) follow(ctx context.Context, r *editor.Run) {
	defer close(r.Ended)
	stop := context.AfterFunc(ctx, r.Leave)
	defer stop()
	deliver := context.WithoutCancel(ctx)
	meter := editor.NewMeter()
	if r.Token != "" {
		fo.work.Run("progress "+r.ID, func(ctx context.Context) { meter.Show(ctx, fo.client, r.Token, r.Task) })
	}
	defer meter.Finish()
	fo.work.Run("speech "+r.ID, func(ctx context.Context) { fo.listen(ctx, r, meter) })
	for _, e := range r.Log.Since(0)[:r.Resumed] {
		meter.See(e) // the client received it before the run was resumed
	}
	for e := range r.Log.Follow(deliver, r.Resumed) {
		meter.See(e)
		fo.board.See(r, e.Data)
		fo.sendEvent(deliver, e)
	}
	r.Result, _ = r.Wait(deliver) // deliver does not end
	if r.Kind == editor.RecipeSpec || !r.Reads() {
		fo.pages.refresh() // the run keeps its specification, and what its reviewer said, when it ends
	}
	fo.conclude(ctx, r)
}

// conclude puts the result of a run before the user.
func (fo *follower) conclude(ctx context.Context, r *editor.Run) {
	if r.Result.Proposal == nil {
		fo.explain(ctx, r)
		fo.showReading(ctx, r)
		return
	}
	fo.board.Propose(r.Folder, r.Result)
	proposed := review.NewReview(r.Folder, r.Result.Proposal)
	fo.reviewer.Present(ctx, proposed)
	fo.runSuite(ctx, r, proposed)
}

// explain says why a run has nothing to propose. Rich clients show it themselves, and the user who
// cancelled knows.
func (fo *follower) explain(ctx context.Context, r *editor.Run) {
	if fo.session.Features().Rich || r.Result.Reason == "" || r.Reads() || ctx.Err() != nil || r.Result.State == event.Cancelled {
		return
	}
	fo.dialog.Notify(ctx, protocol.MessageTypeWarning, "Forge: "+inert.OneLine(r.Task, 60)+": "+inert.Shorten(r.Result.Reason, 400))
}

// sendEvent sends an event to a client that announced it takes them. follow calls it for every event
// of a run, in order, so that the sequence numbers the client sees have no gap.
func (fo *follower) sendEvent(ctx context.Context, e event.Event) {
	if !fo.session.Features().Rich {
		return
	}
	if err := fo.client.Notify(ctx, api.EventMethod, api.EventOf(e)); err != nil {
		fo.log.Debug("event not sent", "run", e.RunID, "seq", e.Seq, "why", err)
	}
}

// listen passes on what the models of a run say, until the run has ended or ctx is done: to the meter, and to clients that
// announced that they take it. It does so at most as often as progress is reported; what is said meanwhile comes at once.
func (fo *follower) listen(ctx context.Context, r *editor.Run, m *editor.Meter) {
	for d := range r.Speech.Follow(ctx) {
		m.Hear(d)
		if fo.session.Features().Rich {
			if err := fo.client.Notify(ctx, api.DeltaMethod, api.DeltaOf(r.ID, d)); err != nil {
				fo.log.Debug("delta not sent", "run", r.ID, "why", err)
			}
		}
		select {
		case <-time.After(editor.ReportEvery):
		case <-ctx.Done():
		}
	}
}

// suiteToken is the token of the progress of the tests that are run in the background for a run.
func suiteToken(r *editor.Run) string { return r.Token + "/suite" }

// runSuite runs the tests in the background that have not seen the proposal of a run, if the user wants that. It goes on when the proposal is accepted, and
// ends when a part of it is rejected, when the run is cancelled or taken back, and with the session.
func (fo *follower) runSuite(ctx context.Context, r *editor.Run, proposed *review.Review) {
	suite := r.Result.Suite
	switch {
	case suite == nil:
		return
	case !suite.Wanted || ctx.Err() != nil:
		suite.Cancel()
		return
	}
	fo.work.Run("suite "+r.ID, func(ctx context.Context) {
		stop := context.AfterFunc(ctx, suite.Cancel)
		defer stop()
		deliver := context.WithoutCancel(ctx)
		meter := editor.NewMeter()
		if r.Token != "" {
			fo.work.Run("progress of suite "+r.ID, func(ctx context.Context) {
				meter.Show(ctx, fo.client, suiteToken(r), "whole suite: "+r.Task)
			})
		}
		suite.Start(func(e event.Event) {
			meter.See(e)
			fo.board.See(r, e.Data)
			fo.sendEvent(deliver, e)
		})
		watchSuite(suite, meter)
		fo.tellSuite(deliver, proposed, suite.Result())
	})
}

// watchSuite shows how far a suite is, until it has ended.
func watchSuite(suite *execution.Suite, meter *editor.Meter) {
	defer meter.Finish()
	for {
		select {
		case <-suite.Moved():
			meter.Say(suite.Count().String() + " so far")
		case <-suite.Done():
			meter.Say(suite.Result().Text)
			return
		}
	}
}

// tellSuite adds what all tests say of a proposal to it, and has the user know where tests fail.
func (fo *follower) tellSuite(ctx context.Context, proposed *review.Review, result execution.SuiteResult) {
	title, accepted := proposed.Add(result.Reports)
	if result.Verdict != gate.Fail {
		return
	}
	text := "Forge: " + inert.OneLine(title, 60) + ": " + result.Text
	if accepted {
		text = fmt.Sprintf("Forge: %s: the change that you accepted fails %s. forge.undo takes it back", inert.OneLine(title, 60), result.Fails())
	}
	fo.dialog.Notify(ctx, protocol.MessageTypeWarning, inert.Shorten(text, 600))
}
