package proposal

import (
	"fmt"
	"slices"

	"forge/engine/integrity"
	"forge/patch"
)

// Amend replaces the proposed text of a file by the user's own version: text is what the file is to be. Hunks are computed again. One
// that the version leaves as it is keeps its id and state; one that the version omits is Rejected. Typed text of the user stays theirs,
// and is not part of a hunk.
//
// current returns a file as it is; its error ends Amend, and so does an unknown path.
func (p *Proposal) Amend(path, text string, current func(path string) (Current, error)) error {
	if err := p.known(Selection{Files: []string{path}}); err != nil {
		return err
	}
	f := &p.Files[slices.IndexFunc(p.Files, func(f File) bool { return f.Change.Path == path })]
	if f.Change.Kind == patch.Delete {
		return fmt.Errorf("the proposal deletes %s, so there is no text of it to change; reject the deletion to keep the file", path)
	}
	now, err := current(path)
	if err == nil && f.Change.Kind == patch.Move && !(settler{f}).movedTo(now) {
		now, err = current(f.Change.From)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	settler{f}.settle(now)
	if now.Text == text {
		f.rejectOpen()
		return nil
	}
	if proposed, _, err := p.Proposed(path, current); err == nil && proposed == text {
		return nil // a save without a change
	}
	f.amend(text, now)
	f.Amended = true
	f.Control = integrity.ControlOf(f.Change)
	return nil
}

func (f *File) rejectOpen() {
	for i := range f.Hunks {
		if f.Hunks[i].open() {
			f.Hunks[i].State = Rejected
		}
	}
}

// amend changes the file to the user's version of it.
func (f *File) amend(text string, now Current) {
	switch accepted := f.Hunks[0].State == Accepted; {
	case f.Change.Kind == patch.Create && !accepted && blank(now.Text):
		f.recut(text)
	case f.Change.Kind == patch.Move && !accepted:
		after, conflicts := patch.Merge(now.Text, f.Change.Before, text)
		if len(conflicts) > 0 {
			f.Change.Before, f.rebased, after = now.Text, true, text
		}
		f.recut(after)
	case f.Change.Kind == patch.Update && f.amendUpdate(text, now):
	default: // an accepted file that the run created or moved, or accepted lines in which the user has typed
		f.rebase(now.Text, text)
	}
}

// rebase makes the change one of a text that the run has not seen. What is accepted is a part of that.
func (f *File) rebase(before, after string) {
	f.Hunks, f.rebased = f.rejectedIn(before), true
	f.Change = patch.FileChange{Kind: patch.Update, Path: f.Change.Path, Before: before}
	f.recut(after)
}

// rejectedIn returns the rejected hunks of a changed file as edits of its text now, without those whose lines have changed since.
func (f *File) rejectedIn(text string) (rejected []Hunk) {
	if f.Change.Kind != patch.Update {
		return nil
	}
	since := patch.Diff(f.Change.Before, text)
	for _, h := range f.Hunks {
		changed := func(e patch.Edit) bool { return touch(e, h.Edit) }
		if h.State == Rejected && !slices.ContainsFunc(since, changed) {
			h.Edit = shift(h.Edit, since)
			h.Line = lineAt(text, h.Edit.Start)
			rejected = append(rejected, h)
		}
	}
	return rejected
}

// recut computes the hunks of the file again, for another text after the change.
func (f *File) recut(after string) {
	old := f.Hunks
	f.Change.After, f.Change.Matches, f.Hunks = after, nil, nil
	for _, edit := range cut(f.Change) {
		i := slices.IndexFunc(old, func(h Hunk) bool { return h.Edit == edit })
		if i < 0 {
			f.Hunks = append(f.Hunks, f.newHunk(edit))
			continue
		}
		kept := old[i]
		if kept.State != Accepted {
			kept.State, kept.Note = Pending, ""
		}
		f.Hunks = append(f.Hunks, kept)
	}
	if f.Change.Kind == patch.Update {
		f.keepOmitted(old)
		f.Change.After = f.with(slices.Repeat([]bool{true}, len(f.Hunks)))
	}
}

// newHunk returns a hunk with a new id. The user wrote it, so it needs a second look only for what it does.
func (f *File) newHunk(edit patch.Edit) Hunk {
	f.made++
	h := Hunk{
		ID: f.hunkID(f.made), Path: f.Change.Path, Edit: edit, Line: lineAt(f.Change.Before, edit.Start), Level: patch.Exact, State: Pending,
	}
	file := *f
	file.Control = integrity.ControlOf(f.Change)
	h.Risk = riskOf(file, patch.Exact, nil)
	return h
}

// keepOmitted keeps the hunks that are not in the text any more as rejected ones, unless others are at their place.
func (f *File) keepOmitted(old []Hunk) {
	for _, h := range old {
		taken := func(other Hunk) bool { return touch(other.Edit, h.Edit) }
		if slices.ContainsFunc(f.Hunks, taken) {
			continue
		}
		h.State = Rejected
		at := slices.IndexFunc(f.Hunks, func(other Hunk) bool { return other.Edit.Start > h.Edit.Start })
		if at < 0 {
			at = len(f.Hunks)
		}
		f.Hunks = slices.Insert(f.Hunks, at, h)
	}
}
