package proposal

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"forge/patch"
)

// see remembers a text that the file has had by decisions of the user alone. An undo or a redo can bring it back after the hunks of that
// time were replaced by a version of the user's own. All are remembered, because an editor can undo any number of steps; one takes few bytes.
func (f *File) see(text string) {
	if digest := digestOfText(text); !slices.Contains(f.seen, digest) {
		f.seen = append(slices.Clip(f.seen), digest)
	}
}

func digestOfText(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// reads reports whether a text is a choice of hunks, without anything that the user typed.
func (f *File) reads(now Current) bool {
	if f.Change.Kind != patch.Update {
		return now.Text == f.Change.After
	}
	probe := f.clone()
	return settler{&probe}.settleExactly(now.Text)
}

// comeBack makes the change one of a text that came back and is no choice of the hunks that there are now. What is proposed stays.
func (f settler) comeBack(now Current) bool {
	first := f.origin.Kind == patch.Update && now.Text == f.origin.Before
	if !now.Exists || !first && !slices.Contains(f.seen, digestOfText(now.Text)) || f.reads(now) {
		return false
	}
	wanted := f.Change.After
	if f.Change.Kind == patch.Update {
		wanted = f.with(f.notRejected())
	}
	if wanted == now.Text {
		return false
	}
	rejected := f.Change.Kind != patch.Update && f.Hunks[0].State == Rejected // all of the file
	f.rebase(now.Text, wanted)
	if rejected {
		f.rejectOpen()
	}
	return true
}

func (f *File) notRejected() []bool {
	in := f.in(Rejected)
	for i := range in {
		in[i] = !in[i]
	}
	return in
}

// settleGone handles a changed file that was deleted: its hunks have no place, unless the run made the file or moved it there, and the user
// undid that. Then it is made, or moved, again.
func (f settler) settleGone() {
	if f.origin.Kind == patch.Create || f.origin.Kind == patch.Move {
		f.whole()
		return
	}
	for i := range f.Hunks {
		if f.Hunks[i].State != Rejected {
			f.Hunks[i].State = Conflict
		}
	}
}

// whole makes the change of a file the creation or the move that it was.
func (f *File) whole() {
	wanted := f.notRejected()
	f.Change = patch.FileChange{
		Kind: f.origin.Kind, Path: f.Change.Path, From: f.origin.From, Before: f.origin.Before, After: f.with(wanted), Mode: f.origin.Mode,
	}
	h := f.newHunk(span(f.Change.Before, f.Change.After))
	if !slices.Contains(wanted, true) {
		h.State = Rejected
	}
	f.rebased, f.Hunks = true, []Hunk{h}
}
