package proposal

import (
	"slices"

	"forge/patch"
)

// Settle sets the states of a file's hunks from the actual text, regardless of a client's report. For a
// moved file, path and now are the destination's. An unknown path changes nothing.
//
// A hunk becomes Accepted when all of it is in the text: removing it would move the text away from the
// run's by every one of its lines. It stays Accepted until the text is closer to the one without it, so
// that the user may edit accepted lines; when they undo it, it is Pending again. Rejected stays Rejected
// unless the user changed their mind and all of it is in the text. A hunk in Conflict stays so until its
// lines are free again.
func (p *Proposal) Settle(path string, now Current) {
	for i := range p.Files {
		if f := &p.Files[i]; f.Change.Path == path {
			settler{f}.settle(now)
		}
	}
}

// Confirm settles a file after a plan was written. If the file is exactly as planned, the planned hunks
// are Accepted without comparing lines, which may occur elsewhere; otherwise, because a client applied a
// part or the user typed more, it calls Settle.
func (p *Proposal) Confirm(plan FilePlan, now Current) {
	wanted := now.Exists && now.Text == plan.Want
	if plan.Kind == patch.Delete {
		wanted = !now.Exists
	}
	if !wanted || len(plan.Edits) == 0 {
		p.Settle(plan.Path, now)
		return
	}
	for h := range p.hunks() {
		if plan.holds(h.ID) {
			h.State = Accepted
		}
	}
	if f := p.file(plan.Path); f.reads(now) {
		f.see(now.Text)
	}
}

// holds reports whether one of the plan's edits belongs to the hunk.
func (plan *FilePlan) holds(id string) bool {
	return slices.ContainsFunc(plan.Edits, func(e PlannedEdit) bool { return e.HunkID == id })
}

// settler finds out what of a file's change is in a text. It changes the states of the hunks, and what is in their places.
type settler struct{ *File }

func (f settler) settle(now Current) {
	f.comeBack(now)
	switch f.Change.Kind {
	case patch.Create:
		f.settleWhole(now, now.Exists && f.holds(now.Text))
	case patch.Delete:
		f.settleWhole(now, !now.Exists)
	case patch.Move:
		f.settleWhole(now, f.movedTo(now))
	default:
		if !now.Exists {
			f.settleGone()
			return
		}
		if f.settleText(now.Text) {
			f.see(now.Text)
		}
		f.releaseConflicts(now.Text)
	}
}

// settleWhole sets the one hunk of a file that is created, deleted or moved.
func (f settler) settleWhole(now Current, there bool) {
	if there && now.Text == f.Change.After {
		f.see(now.Text)
	}
	f.Hunks[0].settled(there)
}

// holds reports whether a created file has its text: all of it, or, once accepted, enough of it.
func (f settler) holds(text string) bool {
	if text == f.Change.After {
		return true
	}
	if f.Change.After == "" { // no line to compare: an accepted empty file may be filled
		return f.Hunks[0].State == Accepted
	}
	return f.has(text)
}

// movedTo reports whether the destination of a move has the moved file. It may contain the user's edits
// from before the move, so it need not be exact: the run's edit and half of the lines must match.
func (f settler) movedTo(now Current) bool {
	if !now.Exists {
		return false
	}
	if now.Text == f.Change.After {
		return true
	}
	size := len(patch.SplitLines(f.Change.After))
	common := (size + len(patch.SplitLines(now.Text)) - distance(f.Change.After, now.Text)) / 2
	if size == 0 || 2*common < size {
		return false
	}
	unchanged := f.Change.Before == f.Change.After
	return unchanged || f.has(now.Text)
}

// has reports whether the one hunk of a file is in a text.
func (f settler) has(text string) bool { return f.compareWith(text, []bool{false}).decide(0) }

// settleText decides for each hunk whether it is in the text. If the user has typed, each decision changes the comparison for the next
// hunk, so it repeats until nothing changes, at most once per hunk. It reports whether a choice of hunks is exactly the text.
func (f settler) settleText(text string) (exactly bool) {
	if f.settleExactly(text) {
		return true
	}
	f.findGrounds(text)
	c := f.compareWith(text, f.in(Accepted))
	for range f.Hunks {
		if !c.round() {
			break
		}
	}
	for i := range f.Hunks {
		f.Hunks[i].settled(c.in[i])
	}
	return false
}

// settled sets the state of a hunk that is in the text, or is not.
func (h *Hunk) settled(in bool) {
	switch {
	case in:
		h.State = Accepted
	case h.State == Accepted:
		h.State = Pending
	}
}

// releaseConflicts makes the hunks in conflict pending again that can be placed.
func (f settler) releaseConflicts(text string) {
	conflicts := indexes(f.in(Conflict))
	if len(conflicts) == 0 {
		return
	}
	probe := f.clone()
	places := settler{&probe}.placesIn(text)
	for _, i := range conflicts {
		if _, free := places.of(i); free || places.in[i] {
			f.Hunks[i].State = Pending
		}
	}
}

// distance returns the number of lines by which two texts differ, removed plus added. It does not
// depend on where a diff puts repeated lines.
func distance(a, b string) int {
	n := 0
	for _, e := range patch.Diff(a, b) {
		n += weight(a, e)
	}
	return n
}

// weight returns the number of lines that an edit removes and adds.
func weight(text string, e patch.Edit) int {
	return len(patch.SplitLines(text[e.Start:e.End])) + len(patch.SplitLines(e.New))
}
