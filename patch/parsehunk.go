package patch

import (
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

// hunk reads one hunk. The first of a file may do without its "@@".
func (p *parser) hunk(first bool) (Hunk, error) {
	start := p.at
	h := Hunk{Anchors: p.anchors()}
	if p.at == start && !first {
		return Hunk{}, p.fail("%q is no hunk header: a hunk begins with @@ alone or @@ and a line above it", Clip(p.lines[p.at], 60))
	}
	layout, err := p.hunkLines(&h)
	if err != nil {
		return Hunk{}, err
	}
	h.Lines = dropLayout(h.Lines, layout)
	if !slices.ContainsFunc(h.Lines, func(l Line) bool { return l.Kind != Context }) {
		p.at = start
		return Hunk{}, p.fail("the hunk is empty: it neither adds nor removes a line")
	}
	return h, nil
}

// hunkLines reads up to the next header or marker. It returns how many empty lines stand at the end.
func (p *parser) hunkLines(h *Hunk) (layout int, err error) {
	for ; !p.done(); p.at++ {
		line := p.lines[p.at]
		switch {
		case strings.TrimRight(line, " \t") == endOfFile:
			h.EOF = true
			p.at++
			return layout, nil
		case isHeader(line), isMarker(line):
			return layout, nil
		case line == "": // a blank context line whose leading space was trimmed away
			h.Lines = append(h.Lines, Line{Kind: Context})
			layout++
			continue
		case line[0] == byte(Context), line[0] == byte(Remove), line[0] == byte(Add):
			h.Lines = append(h.Lines, Line{Kind: LineKind(line[0]), Text: line[1:]})
		default:
			return 0, p.fail("a line of a hunk must begin with a space, + or -, and a hunk header with @@ and a space: %q", Clip(line, 60))
		}
		layout = 0
	}
	return layout, nil
}

// dropLayout removes the n empty lines at the end of a hunk that has no other old line: they separate
// it from what follows, and taken for context they would pull an addition to whichever blank line the
// file has.
func dropLayout(lines []Line, n int) []Line {
	body := lines[:len(lines)-n]
	if slices.ContainsFunc(body, func(l Line) bool { return l.Kind != Add }) {
		return lines
	}
	return body
}

func isHeader(line string) bool {
	return strings.TrimRight(line, " \t") == "@@" || strings.HasPrefix(line, "@@ ")
}

// anchors reads stacked "@@" lines. A bare one says nothing by itself, but below another it makes the
// stack, and a stack is binding (see document.scope).
func (p *parser) anchors() []string {
	var anchors []string
	for ; !p.done() && isHeader(p.lines[p.at]); p.at++ {
		if a := anchorText(p.lines[p.at]); a != "" || len(anchors) > 0 {
			anchors = append(anchors, a)
		}
	}
	return anchors
}

// ranges are the line numbers a unified diff has between its "@@".
var ranges = lazyregexp.New(`^ ?-(\d+)(?:,(\d+))? \+\d+(?:,(\d+))?( |$)`)

// anchorText returns what a header says: the line above the hunk, without the line numbers and the
// closing "@@" of unified diffs.
func anchorText(header string) string {
	text := strings.TrimRight(header[len("@@"):], " \t")
	if found := ranges.FindString(text); found != "" {
		text = strings.TrimPrefix(text[len(found):], "@@")
	}
	text = strings.TrimRight(strings.TrimSuffix(text, " @@"), " \t")
	return strings.TrimPrefix(text, " ")
}
