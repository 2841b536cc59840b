package lsp

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/internal/inert"
	"forge/lsp/editor"
	"forge/lsp/review"
)

// suiteToken is the token of the progress of the tests that are run in the background for a run.
func suiteToken(r *editor.Run) string { return r.Token + "/suite" }

// runSuite runs in the background the tests that have not run on the proposal, if the user wants that. They continue when the proposal is
// accepted, and stop when a part of it is rejected, when the run is cancelled or undone, and with the session.
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
		watchSuite(r, meter)
		fo.tellSuite(deliver, r, proposed)
	})
}

// watchSuite shows how far the suite of a run is, until it has ended.
func watchSuite(r *editor.Run, meter *editor.Meter) {
	suite := r.Result.Suite
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

// tellSuite adds the reports of all tests to the proposal of a run, and notifies the user if tests fail.
func (fo *follower) tellSuite(ctx context.Context, r *editor.Run, proposed *review.Review) {
	result := r.Result.Suite.Result()
	title, accepted := proposed.Add(result.Reports)
	if result.Verdict != gate.Fail {
		return
	}
	text := "Forge: " + inert.OneLine(title, 60) + ": " + result.Text
	if accepted {
		text = fmt.Sprintf("Forge: %s: the change that you accepted fails %s. Undo takes it back", inert.OneLine(title, 60), result.Fails())
	}
	fo.dialog.Notify(ctx, protocol.MessageTypeWarning, inert.Shorten(text, 600))
}
