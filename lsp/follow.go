package lsp

import (
	"context"
	"log/slog"

	"go.lsp.dev/protocol"

	"forge/api"
	"forge/engine/event"
	"forge/internal/inert"
	"forge/lsp/editor"
	"forge/lsp/review"
	"forge/lsp/transport"
)

// follower reports runs to the client while they run, and hands their results on. It owns nothing, and may call the client, the board,
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

// explain shows why a run has nothing to propose. It is not needed for rich clients, which show it themselves, nor
// after the user has cancelled.
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
