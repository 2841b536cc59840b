package lsp

import (
	"context"
	"time"

	"forge/api"
	"forge/lsp/editor"
)

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
