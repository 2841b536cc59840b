package lsp

import (
	"context"
	"time"

	"forge/api"
	"forge/engine/event"
)

// listen passes on what the models of a run say, until the run has ended or ctx is done: to the meter, and to clients that
// announced that they take it. It does so at most as often as progress is reported; what is said meanwhile comes at once.
func (fo *follower) listen(ctx context.Context, r *run, m *meter) {
	for d := range r.Speech.Follow(ctx) {
		m.hear(d)
		if fo.session.features().rich {
			if err := fo.client.Notify(ctx, api.DeltaMethod, api.DeltaOf(r.ID, d)); err != nil {
				fo.log.Debug("delta not sent", "run", r.ID, "why", err)
			}
		}
		select {
		case <-time.After(reportEvery):
		case <-ctx.Done():
		}
	}
}

// hear takes note of what a model says: how much, for the person who waits.
func (m *meter) hear(d event.Delta) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if d.Node != m.step {
		return // the answer has come, and something else goes on
	}
	m.heard = d.At + len(d.Text)
	m.poke()
}
