package match

import (
	"slices"
	"strings"

	"forge/patch"
)

// verbatim is the replacement of the lines of a hunk that was found byte for byte.
type verbatim struct {
	text string // may have several lines; without the end of the last
	end  string // the end of the last
}

// wholeText finds a pair that occurs once in the text, as whole lines, and whose line ends differ from the document's: they are then part
// of the replacement.
func (t *target) wholeText(l *ladder) bool {
	pair := t.hunk.Literal
	if pair == nil || !l.doc.saysEnds(*pair) {
		return false
	}
	at := l.doc.occurrences(pair.Old)
	if len(at) != 1 || !l.doc.wholeLines(at[0], at[0]+len(pair.Old)) {
		return false
	}
	if len(pair.Old) < len(l.doc.body) && patch.EndsLine(pair.Old) != patch.EndsLine(pair.New) {
		return false
	}
	t.replaceBytes(l, at[0], *pair)
	return true
}

// saysEnds reports whether the line ends of a pair count: it has some, and not all of them are the document's; or it is the whole text.
func (d *document) saysEnds(pair patch.Literal) bool {
	if pair.Old == d.body {
		return true
	}
	old := patch.SplitLines(pair.Old)
	if len(old) == 1 && !patch.EndsLine(old[0]) {
		return false
	}
	other := func(line string) bool { return patch.EndsLine(line) && line[len(patch.TrimEnd(line)):] != d.eol }
	return slices.ContainsFunc(old, other) || slices.ContainsFunc(patch.SplitLines(pair.New), other)
}

// insideLines finds a pair that is not whole lines. It must occur exactly once, byte for byte.
func (t *target) insideLines(path string, l *ladder) (found bool, err error) {
	if t.hunk.Literal == nil {
		return false, nil
	}
	pair := l.doc.pairInside(*t.hunk.Literal)
	at := l.doc.occurrences(pair.Old)
	switch {
	case len(at) == 0:
		return false, nil
	case len(at) > 1:
		err := &AmbiguousError{Path: path, Hunk: t.number, Search: t.sought()}
		for _, offset := range at {
			err.Lines = append(err.Lines, l.doc.lineAt(offset)+1)
		}
		return false, err
	case l.doc.replaced(at[0], pair):
		return false, &AlreadyAppliedError{Path: path, Hunk: t.number, Search: t.sought(), Line: l.doc.lineAt(at[0]) + 1}
	}
	t.replaceBytes(l, at[0], pair)
	return true, nil
}

// sought returns the first non-blank line of a replacement's search text; "" for a hunk.
func (t *target) sought() string {
	if t.hunk.Literal == nil {
		return ""
	}
	line, _, _ := strings.Cut(strings.TrimSpace(t.hunk.Literal.Old), "\n")
	return strings.TrimSpace(line)
}

// pairInside returns the pair to search inside lines: with the document's line ends, unless the text has the pair's own, and without a
// line end at the end of the search only.
func (d *document) pairInside(p patch.Literal) patch.Literal {
	if patch.EndsLine(p.Old) && !patch.EndsLine(p.New) {
		p.Old = patch.TrimEnd(p.Old)
	}
	if !strings.ContainsAny(p.Old, "\r\n") {
		return patch.Literal{Old: p.Old, New: withEnds(p.New, d.eol)}
	}
	if converted := (patch.Literal{Old: withEnds(p.Old, d.eol), New: withEnds(p.New, d.eol)}); !strings.Contains(d.body, p.Old) {
		return converted
	}
	return p
}

// withEnds replaces the line ends of a text.
func withEnds(text, end string) string {
	var b strings.Builder
	for _, line := range patch.SplitLines(text) {
		b.WriteString(patch.TrimEnd(line))
		if patch.EndsLine(line) {
			b.WriteString(end)
		}
	}
	return b.String()
}

// replaced reports whether the text around a place is already the result of the pair.
func (d *document) replaced(at int, pair patch.Literal) bool {
	for k := 0; k+len(pair.Old) <= len(pair.New); k++ {
		if pair.New[k:k+len(pair.Old)] != pair.Old || at-k < 0 {
			continue
		}
		if strings.HasPrefix(d.body[at-k:], pair.New) {
			return true
		}
	}
	return false
}

// replaceBytes makes the hunk replace the lines that a pair touches.
func (t *target) replaceBytes(l *ladder, at int, pair patch.Literal) {
	from, end := l.doc.lineAt(at), at+len(pair.Old)
	to := l.doc.lineAt(end-1) + 1
	head, tail := l.doc.body[l.doc.offsets()[from]:at], l.doc.body[end:l.doc.offsets()[to]]
	text := head + pair.New + tail
	bare := text[:len(text)-len(patch.LineEnd(text))]
	t.old = l.lines[from:to]
	t.hunk.Lines = patch.AppendLines(nil, patch.Remove, t.old)
	if text != "" {
		t.hunk.Lines = append(t.hunk.Lines, patch.Line{Kind: patch.Add, Text: bare})
		t.verbatim = &verbatim{text: bare, end: patch.LineEnd(text)}
	}
	t.places = []place{{at: from}}
}

// occurrences returns the byte offsets of a text in the document, including overlapping ones.
func (d *document) occurrences(text string) []int {
	var found []int
	for at := 0; text != ""; {
		i := strings.Index(d.body[at:], text)
		if i < 0 {
			break
		}
		found = append(found, at+i)
		at += i + 1
	}
	return found
}

// wholeLines reports whether the bytes between two offsets are whole lines, except for the end of the last one.
func (d *document) wholeLines(from, to int) bool {
	starts := d.offsets()
	line := d.lineAt(to - 1)
	return starts[d.lineAt(from)] == from && (to == starts[line+1] || to == starts[line]+len(d.lines[line]))
}

// lineAt returns the index of the line that contains a byte.
func (d *document) lineAt(offset int) int {
	line, exact := slices.BinarySearch(d.offsets(), offset)
	if !exact {
		line--
	}
	return min(line, len(d.lines)-1)
}

// offsets returns the offset of each line in the body, and the end of the last one.
func (d *document) offsets() []int {
	if d.starts == nil {
		d.starts = make([]int, len(d.lines)+1)
		for i, line := range d.lines {
			d.starts[i+1] = d.starts[i] + len(line) + len(d.ends[i])
		}
	}
	return d.starts
}
