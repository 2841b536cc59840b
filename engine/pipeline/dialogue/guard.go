package dialogue

import (
	"errors"

	"forge/engine/integrity"
	"forge/patch"
)

// guard says what a change may touch now. Its error is shown to the model; explanation is what the model said of the
// change.
type guard func(changes patch.ChangeSet, explanation string) error

// allow says what a change may touch in a phase: what its guard lets pass, and never how code is checked or Forge's own folder.
func (p *Phase) allow(changes patch.ChangeSet, explanation string) error {
	return p.allowGuarded(changes, changes, explanation)
}

// allowGuarded is allow of a change of which the guard looks at a part.
func (p *Phase) allowGuarded(all, guarded patch.ChangeSet, explanation string) error {
	return errors.Join(integrity.Refused(all), p.promises.Rules().CheckedAlike(all), p.Job.OwnFiles(all), p.Guard(guarded, explanation))
}
