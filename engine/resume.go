package engine

import (
	"context"
	"errors"

	"forge/engine/event"
	"forge/engine/execution"
)

// Resume takes up a run where an earlier execution of it was cut off or paused. Nothing that has finished is done
// again: no model is asked what it has answered, no person neither. A run that had failed, was blocked or
// cancelled is tried again from where it was; one that had succeeded offers its proposal again.
//
// Limits that are not zero are those of the run from now on; Duration is that of this execution.
//
// The error matches ErrNoRun, ErrWorkedOn or ErrOtherVersion when there is nothing to take up. Every failure
// after that is an event of the run. Followers begin after Run.Resumed events.
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
