package lsp

import (
	"context"
	"time"

	"forge/api"
	"forge/lsp/editor"
)

// listen passes the streamed text of a run's models to the meter and to rich clients, until the run has ended or ctx is done. It sends at
// most once per editor.ReportEvery, each time all text since.
func (fo *follower) listen(ctx context.Context, r *editor.Run, m *editor.Meter) {
	for d := range r.LiveText.Follow(ctx) {
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
