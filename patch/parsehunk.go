package patch

import (
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

// hunk parses one hunk. The first hunk of a file need not have an "@@".
func (p *parser) hunk(first bool) (Hunk, error) {
	start := p.at
	h := Hunk{Anchors: p.anchors()}
	if p.at == start && !first {
		return Hunk{}, p.fail("%q is not a hunk header: a hunk begins with @@ alone or @@ and a line above it", Clip(p.lines[p.at], 60))
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

// hunkLines parses up to the next header or marker. It returns the number of empty lines at the end.
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

// dropLayout removes the n empty lines at the end of a hunk without other old lines: they separate it from the next hunk. As context
// they would move an addition to any blank line of the file.
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

// anchors parses stacked "@@" lines. A bare one adds nothing, but below another it makes a stack, which is binding (see document.scope).
func (p *parser) anchors() []string {
	var anchors []string
	for ; !p.done() && isHeader(p.lines[p.at]); p.at++ {
		if a := anchorText(p.lines[p.at]); a != "" || len(anchors) > 0 {
			anchors = append(anchors, a)
		}
	}
	return anchors
}

// ranges matches the line numbers of a unified diff between its "@@".
var ranges = lazyregexp.New(`^ ?-(\d+)(?:,(\d+))? \+\d+(?:,(\d+))?( |$)`)

// anchorText returns the text of a header: the line above the hunk, without the line numbers and the closing "@@" of unified diffs.
func anchorText(header string) string {
	text := strings.TrimRight(header[len("@@"):], " \t")
	if found := ranges.FindString(text); found != "" {
		text = strings.TrimPrefix(text[len(found):], "@@")
	}
	text = strings.TrimRight(strings.TrimSuffix(text, " @@"), " \t")
	return strings.TrimPrefix(text, " ")
}
