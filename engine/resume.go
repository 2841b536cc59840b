package engine

import (
	"context"
	"errors"

	"forge/engine/event"
	"forge/engine/execution"
)

// Resume continues a run where an earlier execution of it was interrupted or paused. It repeats nothing that has
// finished: no model call and no question. A run that was failed, blocked or cancelled is retried from that
// point; a successful one offers its proposal again.
//
// Limits that are not zero replace those of the run; Duration is that of this execution.
//
// The error matches ErrNoRun, ErrWorkedOn or ErrOtherVersion if the run cannot be resumed. Every later failure is
// an event of the run. Followers begin after Run.Resumed events.
func (e *Engine) Resume(ctx context.Context, id string, asker event.Asker, raised execution.Limits) (*execution.Run, error) {
	p, store, kept, err := e.Locate(ctx, id)
	if err != nil {
		return nil, err
	}
	e.suites.Stop(id)
	l, err := e.host.TakeUp(ctx, p, store, kept, asker, raised)
	if err != nil {
		return nil, err
	}
	if err := e.begin(l.Run, l.GoOn); err != nil {
		return nil, errors.Join(err, l.Release(ctx))
	}
	return l.Run, nil
}
