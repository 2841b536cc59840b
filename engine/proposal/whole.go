package proposal

import "forge/patch"

// The plans of files that are created, deleted or moved: exactly one hunk each, applied completely or not at all.

// planCreate creates a missing file. An empty file loses nothing: it may be left by a client that
// failed after creating it. It is filled, with a second look.
func (f *File) planCreate(plan *FilePlan) {
	want := f.Change.After
	switch {
	case plan.Current.Exists && plan.Current.Text == want:
		plan.Done = true
	case plan.Current.Exists && plan.Current.Text != "":
		f.conflict(plan, 0)
	default:
		plan.add(f.Hunks[0], patch.Edit{New: want}, plan.Current.Exists)
		plan.Want = want
	}
}

// planDelete deletes a file that is unchanged since the run.
func (f *File) planDelete(plan *FilePlan) {
	switch {
	case !plan.Current.Exists:
		plan.Done = true
	case plan.Current.Text != f.Change.Before:
		f.conflict(plan, 0)
	default:
		plan.add(f.Hunks[0], patch.Edit{End: len(plan.Current.Text)}, false)
		plan.Want = ""
	}
}

// planMove moves a file, with the user's edits, to a free place. plan.Current is the destination
// before the call, and the source after.
func (f *File) planMove(plan *FilePlan, current func(string) (Current, error)) error {
	source, err := current(f.Change.From)
	if err != nil {
		return err
	}
	target := plan.Current
	if !source.Exists && f.movedTo(target) {
		plan.Done = true
		return nil
	}
	plan.Current, plan.Want = source, source.Text
	if !source.Exists || target.Exists {
		f.conflict(plan, 0)
		return nil
	}
	merged, conflicts := patch.Merge(f.Change.Before, source.Text, f.Change.After)
	if len(conflicts) > 0 {
		f.conflict(plan, 0)
		return nil
	}
	plan.add(f.Hunks[0], span(source.Text, merged), source.Text != f.Change.Before)
	plan.Want = merged
	return nil
}
