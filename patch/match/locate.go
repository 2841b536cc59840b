package match

import (
	"slices"

	"forge/patch"
)

// target is a hunk whose place is being searched.
type target struct {
	number   int // from 1, in the order of the patch
	hunk     patch.Hunk
	old      []string  // the hunk's context and removed lines
	places   []place   // candidate places; exactly one after a successful search
	verbatim *verbatim // set if the hunk was found as bytes
}

func (t *target) place() place { return t.places[0] }

// locate finds the one place of each hunk, or reports a hunk with none or several. A hunk that matches nowhere gets its confirmed place,
// which does not influence the others.
func locate(path string, l *ladder, hunks []patch.Hunk, confirmed confirmer) ([]*target, error) {
	targets, matched := make([]*target, len(hunks)), []*target(nil)
	for i, h := range hunks {
		t := &target{number: i + 1, hunk: h, old: oldLines(h.Lines)}
		targets[i] = t
		if err := t.search(path, l); err == nil {
			matched = append(matched, t)
		} else if !t.confirmed(path, l, err, confirmed) {
			return nil, err
		}
	}
	orderPlaces(l, matched)
	nearest(matched)
	for _, t := range targets {
		if len(t.places) > 1 {
			return nil, t.ambiguous(path)
		}
		if line, ok := alreadyInserted(l, t); ok {
			return nil, &AlreadyAppliedError{Path: path, Hunk: t.number, Search: t.sought(), Line: line + 1}
		}
	}
	return targets, nil
}

// search sets the places of a hunk.
func (t *target) search(path string, l *ladder) error {
	if len(t.old) == 0 {
		return t.append(path, l)
	}
	if t.wholeText(l) {
		return nil
	}
	found := l.find(t.old, t.hunk.EOF)
	if len(found) == 0 {
		inside, err := t.insideLines(path, l)
		if inside {
			return nil
		}
		if found = t.withoutLayout(l); len(found) == 0 && err != nil {
			return err
		}
	}
	found = slices.DeleteFunc(found, func(p place) bool { return !p.shift.fits(t.hunk) })
	if len(found) == 0 {
		return t.notFound(path, l)
	}
	kept, missing := l.narrow(t.hunk, t.old, found)
	if missing != "" {
		return t.noHeader(path, l, missing)
	}
	t.places = kept
	return nil
}

// append places a hunk that only adds lines: at the end of the file, if it has no header. Some tools put such lines right after the
// header and others at the end of the file, so a header, or a line number elsewhere, is an error.
func (t *target) append(path string, l *ladder) error {
	elsewhere := t.hunk.Near > 0 && t.hunk.Near != len(l.lines)+1
	if (len(t.hunk.Anchors) > 0 || elsewhere) && !t.hunk.EOF {
		return t.noContext(path, l)
	}
	t.places = []place{{at: len(l.lines)}}
	return nil
}

// withoutLayout searches again without lines that are often layout of the patch and not lines of the file.
func (t *target) withoutLayout(l *ladder) []place {
	for _, lines := range layouts(t.hunk) {
		old := oldLines(lines)
		if len(old) == 0 || len(lines) == len(t.hunk.Lines) {
			continue
		}
		found := l.find(old, t.hunk.EOF)
		if len(found) == 0 {
			continue
		}
		t.hunk.Lines, t.old = lines, old
		for i := range found {
			found[i].level = max(found[i].level, patch.TrailingSpace)
		}
		return found
	}
	return nil
}

func (t *target) ambiguous(path string) error {
	err := &AmbiguousError{Path: path, Hunk: t.number, Search: t.sought(), Level: t.place().level}
	for _, p := range t.places {
		err.Lines = append(err.Lines, p.at+1)
	}
	return err
}

// notFound tries the last rung, or reports whether the hunk is already applied or does not match.
func (t *target) notFound(path string, l *ladder) error {
	outcome := newLines(t.hunk.Lines)
	for level := patch.Exact; level <= patch.TrailingSpace && saysDone(t.hunk.Lines); level++ {
		if found := l.findAt(level, outcome, t.hunk.EOF); len(found) > 0 {
			return &AlreadyAppliedError{Path: path, Hunk: t.number, Search: t.sought(), Line: found[0].at + 1}
		}
	}
	lines, ok := t.contextSubset(l)
	switch {
	case ok:
		return nil
	case len(lines) > 0:
		return &AmbiguousError{Path: path, Hunk: t.number, Search: t.sought(), Level: patch.ContextSubset, Lines: lines}
	}
	return t.noMatch(path, l)
}

// saysDone reports whether the result of a hunk proves that it was applied: it has added lines, or context on both sides of the removed
// lines.
func saysDone(lines []patch.Line) bool {
	if slices.ContainsFunc(lines, addsText) {
		return true
	}
	return len(lines) > 0 && lines[0].Kind == patch.Context && lines[len(lines)-1].Kind == patch.Context
}

func addsText(l patch.Line) bool { return l.Kind == patch.Add && !patch.IsBlank(l.Text) }

// alreadyInserted recognises a hunk that only adds lines, and whose context still matches because the added lines are there already.
func alreadyInserted(l *ladder, t *target) (line int, ok bool) {
	outcome, at := newLines(t.hunk.Lines), t.place().at
	grown := len(outcome) - len(t.old)
	if grown == 0 || !onlyAdds(t.hunk.Lines) {
		return 0, false
	}
	for start := max(0, at-grown); start <= at && start+len(outcome) <= len(l.lines); start++ {
		if slices.Equal(l.rung(patch.TrailingSpace)[start:start+len(outcome)], normalAll(patch.TrailingSpace, outcome)) {
			return start, true
		}
	}
	return 0, false
}

// onlyAdds reports whether lines remove nothing and add more than blank lines.
func onlyAdds(lines []patch.Line) bool {
	removes := slices.ContainsFunc(lines, func(l patch.Line) bool { return l.Kind == patch.Remove })
	return !removes && slices.ContainsFunc(lines, addsText)
}

func oldLines(lines []patch.Line) []string { return without(patch.Add, lines) }

func newLines(lines []patch.Line) []string { return without(patch.Remove, lines) }

func without(kind patch.LineKind, lines []patch.Line) []string {
	var out []string
	for _, l := range lines {
		if l.Kind != kind {
			out = append(out, l.Text)
		}
	}
	return out
}
