package pipeline

import (
	"errors"

	"forge/engine/control"
	"forge/patch"
)

// guard says what a change may touch now. Its error is shown to the model; explanation is what the model said of the
// change.
type guard func(changes patch.ChangeSet, explanation string) error

// allow says what a change may touch in a phase: what its guard lets pass, and never how code is checked or Forge's own folder.
func (p *phase) allow(changes patch.ChangeSet, explanation string) error {
	return p.allowGuarded(changes, changes, explanation)
}

// allowGuarded is allow of a change of which the guard looks at a part.
func (p *phase) allowGuarded(all, guarded patch.ChangeSet, explanation string) error {
	return errors.Join(control.Refused(all), p.promises.rules().CheckedAlike(all), p.job.ownFiles(all), p.guard(guarded, explanation))
}
