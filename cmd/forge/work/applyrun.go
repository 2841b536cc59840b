package work

import (
	"context"
	"errors"

	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/execution"
)

// applyRun applies the change of a run that has ended, after consent: nothing of the run is done again.
func applyRun(ctx context.Context, t terminal.Terminal, f applyFlags) error {
	return terminal.InFolder(t, f.dir, func(e *engine.Engine, _ string) error {
		p, root, err := e.Offered(ctx, f.run)
		if errors.Is(err, execution.ErrNothingOffered) {
			return terminal.ExitWith(terminal.ExitFailed, err.Error()+": forge runs lists those of a folder, and how many files each would change")
		}
		if err != nil {
			return terminal.Explained(err)
		}
		s := Session{Dialogue: terminal.NewDialogue(t), Engine: e, Flags: RunFlags{Yes: f.yes, json: f.json, unverified: f.unverified, control: f.control}}
		outcome := RunOutcome{RunID: p.RunID, State: stateApplied, Unverified: p.Unverified, Files: []fileOutcome{}}
		if err = s.offer(ctx, root, p, &outcome); len(outcome.Files) == 0 {
			outcome.State = stateDeclined
		}
		if f.json {
			err = outcome.print(t.Out, err)
		}
		return outcome.ending(err)
	})
}
