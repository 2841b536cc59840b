package proposal

import (
	"fmt"
	"slices"
	"strings"

	"forge/patch"
)

// Lines are lines of the proposed text of a file: of the text as it is now with the pending hunks. They count from 0; End is exclusive.
type Lines struct {
	Path       string
	Start, End int
}

// Placement is where a pending hunk is in the proposed text of its file.
type Placement struct {
	HunkID string
	Lines
}

// Proposed returns the proposed text of a file and where its pending hunks are in it: the text as it is now with all hunks that are not
// rejected, and without those in conflict. A file that is deleted has an empty one.
func (p *Proposal) Proposed(path string, current func(path string) (Current, error)) (text string, places []Placement, err error) {
	if err := p.known(Selection{Files: []string{path}}); err != nil {
		return "", nil, err
	}
	var pending []string
	for h := range p.hunks() {
		if h.Path == path && h.State == Pending {
			pending = append(pending, h.ID)
		}
	}
	if len(pending) == 0 {
		now, err := current(path)
		return now.Text, nil, err
	}
	plans, err := p.Plan(pending, current)
	if err != nil {
		return "", nil, err
	}
	plan, by := plans[0], 0
	for _, e := range plan.Edits {
		start := strings.Count(plan.Want[:e.Edit.Start+by], "\n")
		places = append(places, Placement{e.HunkID, Lines{path, start, start + len(patch.SplitLines(e.Edit.New))}})
		by += len(e.Edit.New) - (e.Edit.End - e.Edit.Start)
	}
	return plan.Want, places, nil
}

// SelectLines returns the ids of the pending hunks in lines of a proposed text. It splits a hunk that the lines cover in part. A file that is created or
// moved is one hunk, which cannot be split.
func (p *Proposal) SelectLines(l Lines, current func(path string) (Current, error)) ([]string, error) {
	_, places, err := p.Proposed(l.Path, current)
	if err != nil {
		return nil, err
	}
	f := &p.Files[slices.IndexFunc(p.Files, func(f File) bool { return f.Change.Path == l.Path })]
	var picked []string
	for _, at := range places {
		from, to := max(l.Start, at.Start)-at.Start, min(l.End, at.End)-at.Start
		switch size := at.End - at.Start; {
		case size == 0 && l.Start <= at.Start && at.Start <= l.End, size > 0 && from == 0 && to == size:
			picked = append(picked, at.HunkID)
		case from >= to:
		case f.Change.Kind != patch.Update:
			return nil, fmt.Errorf("%s is new as a whole, so a part of it cannot be accepted or rejected; change its proposed text instead", l.Path)
		default:
			picked = append(picked, f.split(at.HunkID, from, to))
		}
	}
	if len(picked) == 0 {
		return nil, fmt.Errorf("lines %d to %d of %s have no pending change", l.Start+1, l.End, l.Path)
	}
	return picked, nil
}

// split cuts a hunk at lines of its new text, into up to three with ids of their own, and returns the id of the middle one. Each new line
// takes the place of the old line at the same distance from the beginning of the hunk; the last piece takes the place of all other old lines.
func (f *File) split(id string, from, to int) (middle string) {
	i := slices.IndexFunc(f.Hunks, func(h Hunk) bool { return h.ID == id })
	hunk := f.Hunks[i]
	before := patch.SplitLines(f.Change.Before[hunk.Edit.Start:hunk.Edit.End])
	after := patch.SplitLines(hunk.Edit.New)
	var pieces []Hunk
	at, start := 0, hunk.Edit.Start
	for _, end := range []int{from, to, len(after)} {
		if end == at {
			continue
		}
		old := before[min(at, len(before)):min(end, len(before))]
		if end == len(after) {
			old = before[min(at, len(before)):]
		}
		f.made++
		piece := hunk
		piece.ID, piece.Line = f.hunkID(f.made), lineAt(f.Change.Before, start)
		piece.Edit = patch.Edit{Start: start, End: start + len(strings.Join(old, "")), New: strings.Join(after[at:end], "")}
		if end == to {
			middle = piece.ID
		}
		pieces = append(pieces, piece)
		at, start = end, piece.Edit.End
	}
	f.Hunks = slices.Replace(f.Hunks, i, i+1, pieces...)
	return middle
}
