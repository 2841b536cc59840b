package proposal

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"forge/patch"
)

// Lines are lines of the proposed text of a file: of the text as it is now with the pending hunks. They count from 0; End is exclusive.
type Lines struct {
	Path       string
	Start, End int
	Digest     string // of the text that they were chosen from, as Shown takes it; empty if that is not known
}

// Placement is where a pending hunk is in the proposed text of its file, and in the text as it is now.
type Placement struct {
	HunkID string
	Lines
	Now Lines // those that it replaces; empty if it only adds
}

// Proposed returns the proposed text of a file and where its pending hunks are in it: the text as it is now with all hunks that are not
// rejected, and without those in conflict. A file that is deleted has an empty one.
func (p *Proposal) Proposed(path string, current func(path string) (Current, error)) (text string, places []Placement, err error) {
	if err := p.known(Selection{Files: []string{path}}); err != nil {
		return "", nil, err
	}
	now, err := current(path)
	if err != nil {
		return "", nil, err
	}
	p = p.Clone()
	p.Settle(path, now)
	var pending []string
	for h := range p.hunks() {
		if h.Path == path && h.State == Pending {
			pending = append(pending, h.ID)
		}
	}
	if len(pending) == 0 {
		return now.Text, nil, nil
	}
	plans, err := p.Plan(pending, current)
	if err != nil {
		return "", nil, err
	}
	plan, by := plans[0], 0
	f := p.file(path)
	var was, is lineCounter
	for _, e := range plan.Edits {
		start, from := is.at(plan.Want, e.Edit.Start+by), was.at(plan.Current.Text, e.Edit.Start)
		hunk := f.Hunks[f.hunk(e.HunkID)].Edit
		if f.endsLine(hunk) {
			start++
			from++
		}
		size := len(patch.SplitLines(plan.Current.Text[e.Edit.Start:e.Edit.End]))
		places = append(places, Placement{
			e.HunkID, Lines{Path: path, Start: start, End: start + len(f.newLines(hunk))}, Lines{Path: path, Start: from, End: from + size},
		})
		by += len(e.Edit.New) - (e.Edit.End - e.Edit.Start)
	}
	return plan.Want, places, nil
}

// lineCounter counts the line feeds before ascending offsets of a text.
type lineCounter struct{ offset, feeds int }

func (c *lineCounter) at(text string, offset int) int {
	c.feeds += strings.Count(text[c.offset:offset], "\n")
	c.offset = offset
	return c.feeds
}

// Shown returns an error unless the proposed text of a file is still the one that the user has seen. digest is the SHA-256 of that text without
// its byte order mark, in hex; an empty one is not compared. Editors that show a file with CRLF without its carriage returns see it without these.
func (p *Proposal) Shown(path, digest string, current func(path string) (Current, error)) error {
	if digest == "" {
		return nil
	}
	text, _, err := p.Proposed(path, current)
	if err != nil {
		return err
	}
	text = strings.TrimPrefix(text, patch.ByteOrderMark)
	if digest != sumOf(text) && digest != sumOf(strings.ReplaceAll(text, "\r\n", "\n")) {
		return fmt.Errorf("the proposed text of %s has changed since it was shown; look at it again", path)
	}
	return nil
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// SelectLines returns the ids of the pending hunks in lines of a proposed text. It splits a hunk that the lines cover in part. A file that is created or
// moved is one hunk, which cannot be split. It fails, and splits nothing, if the lines are those of another text.
func (p *Proposal) SelectLines(l Lines, current func(path string) (Current, error)) ([]string, error) {
	if err := p.Shown(l.Path, l.Digest, current); err != nil {
		return nil, err
	}
	_, places, err := p.Proposed(l.Path, current)
	if err != nil {
		return nil, err
	}
	if now, err := current(l.Path); err == nil {
		p.Settle(l.Path, now) // the places are those of hunks that are settled
	}
	f := p.file(l.Path)
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

// file returns the file with a path, which is one of the proposal.
func (p *Proposal) file(path string) *File {
	return &p.Files[slices.IndexFunc(p.Files, func(f File) bool { return f.Change.Path == path })]
}

// hunk returns the index of a hunk of the file.
func (f *File) hunk(id string) int {
	return slices.IndexFunc(f.Hunks, func(h Hunk) bool { return h.ID == id })
}

// endsLine reports whether an edit begins with the end of a line that has none in the base text.
func (f *File) endsLine(e patch.Edit) bool {
	before := f.Change.Before[:e.Start]
	return before != "" && patch.LineEnd(before) == "" && patch.LineEnd(e.New[:min(len(e.New), 1)]) != ""
}

// newLines returns the lines of an edit's new text, each of which can be taken without the others: a line after the last one of a base
// text without a final line end begins with the end of the line before it.
func (f *File) newLines(e patch.Edit) []string {
	lines := patch.SplitLines(e.New)
	old := patch.SplitLines(f.Change.Before[e.Start:e.End])
	behind := len(old)
	switch {
	case f.endsLine(e):
		behind = 1
	case behind == 0 || patch.LineEnd(old[behind-1]) != "":
		return lines
	}
	for i := behind; i < len(lines); i++ {
		end := patch.LineEnd(lines[i-1])
		lines[i-1], lines[i] = strings.TrimSuffix(lines[i-1], end), end+lines[i]
	}
	return slices.DeleteFunc(lines, func(line string) bool { return line == "" })
}

// groundsOfPiece returns what of each ground of a hunk is in the place of a piece of it: lines at the same distance from the beginning, and
// all that is left if it is the last one.
func groundsOfPiece(grounds []string, from, to int, last bool) (all []string) {
	for _, ground := range grounds {
		lines := patch.SplitLines(ground)
		end := min(to, len(lines))
		if last {
			end = len(lines)
		}
		if piece := strings.Join(lines[min(from, len(lines)):end], ""); !slices.Contains(all, piece) {
			all = append(all, piece)
		}
	}
	return all
}

// split cuts a hunk at lines of its new text, into up to three with ids of their own, and returns the id of the middle one. Each new line
// takes the place of the old line at the same distance from the beginning of the hunk; the last piece takes the place of all other old lines.
func (f *File) split(id string, from, to int) (middle string) {
	i := f.hunk(id)
	hunk := f.Hunks[i]
	before := patch.SplitLines(f.Change.Before[hunk.Edit.Start:hunk.Edit.End])
	after := f.newLines(hunk.Edit)
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
		edit := patch.Edit{Start: start, End: start + len(strings.Join(old, "")), New: strings.Join(after[at:end], "")}
		grounds := groundsOfPiece(hunk.Grounds, at, end, end == len(after))
		at, start = end, edit.End
		if end != to && f.Change.Before[edit.Start:edit.End] == edit.New {
			continue // the line of which only the missing end was replaced
		}
		f.made++
		piece := hunk
		piece.ID, piece.Edit, piece.Line = f.hunkID(f.made), edit, lineAt(f.Change.Before, edit.Start)
		piece.Grounds = grounds
		if end == to {
			middle = piece.ID
		}
		pieces = append(pieces, piece)
	}
	f.Hunks = slices.Replace(f.Hunks, i, i+1, pieces...)
	return middle
}
