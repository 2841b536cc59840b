package main

import (
	"context"
	"errors"

	"forge/engine"
)

// applyRun applies the change of a run that has ended, after consent: nothing of the run is done again.
func applyRun(ctx context.Context, t terminal, f applyFlags) error {
	return inFolder(t, f.dir, func(e *engine.Engine, _ string) error {
		p, root, err := e.Offered(ctx, f.run)
		if errors.Is(err, engine.ErrNothingOffered) {
			return &exitError{exitFailed, err.Error() + ": forge runs lists those of a folder, and how many files each would change"}
		}
		if err != nil {
			return explained(err)
		}
		s := session{dialogue: newDialogue(t), engine: e, flags: runFlags{yes: f.yes, json: f.json, unverified: f.unverified, control: f.control}}
		outcome := runOutcome{RunID: p.RunID, State: stateApplied, Unverified: p.Unverified, Files: []fileOutcome{}}
		if err = s.offer(ctx, root, p, &outcome); len(outcome.Files) == 0 {
			outcome.State = stateDeclined
		}
		if f.json {
			err = outcome.print(t.out, err)
		}
		return outcome.ending(err)
	})
}
