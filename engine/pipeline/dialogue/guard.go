package dialogue

import (
	"errors"

	"forge/engine/integrity"
	"forge/patch"
)

// guard returns an error for a change that is not allowed now. The model sees the error; explanation is the model's
// explanation of the change.
type guard func(changes patch.ChangeSet, explanation string) error

// allow checks a change in a phase: by its guard, and by the rules about settings of checks and Forge's own folder, which always
// apply.
func (p *Phase) allow(changes patch.ChangeSet, explanation string) error {
	return p.allowGuarded(changes, changes, explanation)
}

// allowGuarded is allow with a guard that only checks a part of the change.
func (p *Phase) allowGuarded(all, guarded patch.ChangeSet, explanation string) error {
	return errors.Join(integrity.Refused(all), p.promises.Rules().CheckedAlike(all), p.Job.OwnFiles(all), p.Guard(guarded, explanation))
}
