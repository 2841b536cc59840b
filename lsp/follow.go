package lsp

import (
	"context"
	"log/slog"

	"forge/lsp/transport"

	"go.lsp.dev/protocol"

	"forge/api"
	"forge/engine/event"
	"forge/internal/inert"
)

// follower reports runs to the client while they go on, and hands their results on. It owns nothing, and may call the client, the board,
// the reviewer and the pages.
type follower struct {
	session  *session
	client   *transport.Client
	dialog   *dialog
	board    *board
	reviewer *reviewer
	pages    *pages
	work     *transport.Tasks
	log      *slog.Logger
}

// follow tells the client everything about a run, in order, until its end. If the session ends first
// the run is left, to be resumed, and followed until it is quiet.
func (fo *follower) follow(ctx context.Context, r *run) {
	defer close(r.ended)
	stop := context.AfterFunc(ctx, r.Leave)
	defer stop()
	deliver := context.WithoutCancel(ctx)
	meter := newMeter()
	if r.token != "" {
		fo.work.Run("progress "+r.ID, func(ctx context.Context) { meter.show(ctx, fo.client, r.token, r.Task) })
	}
	defer meter.finish()
	fo.work.Run("speech "+r.ID, func(ctx context.Context) { fo.listen(ctx, r, meter) })
	for _, e := range r.Log.Since(0)[:r.Resumed] {
		meter.see(e.Data) // the client was told in an earlier life
	}
	for e := range r.Log.Follow(deliver, r.Resumed) {
		meter.see(e.Data)
		fo.board.see(r, e.Data)
		fo.sendEvent(deliver, e)
	}
	r.result, _ = r.Wait(deliver) // deliver does not end
	if r.only == recipeSpec || !r.reads() {
		fo.pages.refresh() // the run keeps its specification, and what its reviewer said, when it ends
	}
	fo.conclude(ctx, r)
}

// conclude puts the result of a run before the person.
func (fo *follower) conclude(ctx context.Context, r *run) {
	if r.result.Proposal == nil {
		fo.explain(ctx, r)
		fo.showReading(ctx, r)
		return
	}
	fo.board.propose(r.folder, r.result)
	fo.reviewer.present(ctx, newReview(r.folder, r.result.Proposal))
}

// explain says why a run has nothing to propose. Rich clients show it themselves, and a person who
// cancelled knows.
func (fo *follower) explain(ctx context.Context, r *run) {
	if fo.session.features().rich || r.result.Reason == "" || r.reads() || ctx.Err() != nil || r.result.State == event.Cancelled {
		return
	}
	fo.dialog.notify(ctx, protocol.MessageTypeWarning, "Forge: "+inert.OneLine(r.Task, 60)+": "+inert.Shorten(r.result.Reason, 400))
}

// sendEvent sends an event to a client that announced it takes them. follow calls it for every event
// of a run, in order, so that the sequence numbers the client sees have no gap.
func (fo *follower) sendEvent(ctx context.Context, e event.Event) {
	if !fo.session.features().rich {
		return
	}
	if err := fo.client.Notify(ctx, api.EventMethod, api.EventOf(e)); err != nil {
		fo.log.Debug("event not sent", "run", e.RunID, "seq", e.Seq, "why", err)
	}
}
