package lsp

import (
	"context"

	"forge/api"
	"forge/engine/event"
)

// sendEvent sends an event to a client that announced it takes them. follow calls it for every event
// of a run, in order, so that the sequence numbers the client sees have no gap.
func (f *front) sendEvent(ctx context.Context, e event.Event) {
	if !f.server.features().rich {
		return
	}
	if err := f.client().Notify(ctx, api.EventMethod, api.EventOf(e)); err != nil {
		f.server.log.Debug("event not sent", "run", e.RunID, "seq", e.Seq, "why", err)
	}
}
