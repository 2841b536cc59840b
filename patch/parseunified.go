package patch

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// ParseUnified parses a unified diff in a text, as written by diff tools, git and models: it ignores code fences and prose around it,
// line numbers are hints that break ties, and wrong or missing counts do not matter. git's headers or /dev/null mark new, deleted and
// renamed files; modes are ignored. "\ No newline at end of file" determines the end of the file.
//
// It rejects what is not supported: binary changes, copies, changes of the mode only. The error is a *ParseError.
func ParseUnified(text string) (Patch, error) {
	p := &diffParser{parser: parser{lines: patchLines(strings.TrimSuffix(text, "\n"))}}
	for !p.done() {
		if !p.atSection() {
			p.at++
			continue
		}
		op, err := p.section()
		if err != nil {
			return Patch{}, err
		}
		p.ops = append(p.ops, op)
	}
	if len(p.ops) == 0 {
		return Patch{}, &ParseError{Line: 1, Cause: `no unified diff found: it must have lines "--- path" and "+++ path", then "@@"`}
	}
	return Patch{Ops: p.ops}, nil
}

type diffParser struct {
	parser
	ops []FileOp
}

// The beginnings of lines in the header of a section.
const (
	gitHeader = "diff --git "
	oldFile   = "--- "
	newFile   = "+++ "
	noFile    = "/dev/null"
)

// atSection reports whether the section of a file begins here. So does a hunk without a file, which is an error, not prose.
func (p *diffParser) atSection() bool {
	return strings.HasPrefix(p.lines[p.at], gitHeader) || p.atNames() || isHeader(p.lines[p.at])
}

// atNames reports whether the two lines with the names of a file are here.
func (p *diffParser) atNames() bool {
	return p.at+1 < len(p.lines) && strings.HasPrefix(p.lines[p.at], oldFile) && strings.HasPrefix(p.lines[p.at+1], newFile)
}

// atFile reports whether the names of a file and a hunk are here.
func (p *diffParser) atFile() bool {
	return p.atNames() && p.at+2 < len(p.lines) && isHeader(p.lines[p.at+2])
}

// section parses the section of one file.
func (p *diffParser) section() (FileOp, error) {
	begin := p.at
	var head diffHead
	if err := p.head(&head); err != nil {
		return FileOp{}, err
	}
	var hunks []Hunk
	for p.skipBlank(); !p.done() && isHeader(p.lines[p.at]); p.skipBlank() {
		hunk, err := p.hunk()
		if err != nil {
			return FileOp{}, err
		}
		hunks = append(hunks, hunk)
	}
	op, cause := head.op(hunks)
	if cause != "" {
		return FileOp{}, &ParseError{Line: begin + 1, Cause: cause}
	}
	for _, path := range []string{op.Path, op.To} {
		if err := CheckPath(path); err != nil && (path != "" || path == op.Path) {
			return FileOp{}, &ParseError{Line: begin + 1, Cause: err.Error(), Err: err}
		}
	}
	return op, nil
}

// hunk parses one hunk with its header.
func (p *diffParser) hunk() (Hunk, error) {
	start := p.at
	h, count := hunkHeader(p.lines[p.at])
	p.at++
	for ; p.more(count); p.at++ {
		line := p.lines[p.at]
		switch {
		case strings.HasPrefix(line, `\`):
			h.noEnd()
			continue
		case line == "": // a blank context line whose leading space was trimmed away
			h.Lines = append(h.Lines, Line{Kind: Context})
		case isMarked(line):
			h.Lines = append(h.Lines, Line{Kind: LineKind(line[0]), Text: line[1:]})
		default:
			return Hunk{}, p.fail("a line of a hunk must begin with a space, + or -: %q", Clip(line, 60))
		}
		count.take(h.Lines[len(h.Lines)-1].Kind)
	}
	if !slices.ContainsFunc(h.Lines, func(l Line) bool { return l.Kind != Context }) {
		p.at = start
		return Hunk{}, p.fail("the hunk is empty: it neither adds nor removes a line")
	}
	if count.known && !slices.ContainsFunc(h.Lines, func(l Line) bool { return l.Kind != Add }) {
		h.Near++ // without old lines, the number is that of the line before
	}
	return h, nil
}

// noEnd records that the line before has no line end. The file ends so if the line stays or is new; if it is removed, the new last line
// has an end unless it is marked too.
func (h *Hunk) noEnd() {
	if len(h.Lines) == 0 {
		return
	}
	h.Final = EndPut
	if h.Lines[len(h.Lines)-1].Kind != Remove {
		h.Final = EndCut
	}
}

// more reports whether the hunk continues at the current line. Counts only decide ambiguous cases: lines that look like the header of the
// next file, and empty lines.
func (p *diffParser) more(c *counts) bool {
	if p.done() {
		return false
	}
	line := p.lines[p.at]
	if c.known && c.old == 1 && c.now == 1 && p.atFile() {
		return true
	}
	if p.atEnd() {
		return false
	}
	if strings.HasPrefix(line, `\`) {
		return true
	}
	if c.open() {
		return line != "" || p.blankInside(c)
	}
	if !c.known && line != "" {
		return true
	}
	return p.goesOn()
}

// atEnd reports whether a hunk cannot continue at the current line, regardless of its counts.
func (p *diffParser) atEnd() bool {
	line := p.lines[p.at]
	return isHeader(line) || strings.HasPrefix(line, gitHeader) || IsFence(line) && !isMarked(line) || p.atFile()
}

// blankInside reports whether an empty line belongs to a hunk whose counts are not reached.
func (p *diffParser) blankInside(c *counts) bool {
	blanks := p.blanks()
	return p.goesOn() || c.old >= blanks && c.now >= blanks
}

// goesOn reports whether the next non-empty line can only belong to the hunk.
func (p *diffParser) goesOn() bool {
	next := p.at + p.blanks()
	if next >= len(p.lines) || p.lines[next] == "-- " {
		return false
	}
	at := diffParser{parser: parser{lines: p.lines, at: next}}
	return isMarked(p.lines[next]) && !at.atFile()
}

// blanks counts the empty lines from the current line on.
func (p *diffParser) blanks() int {
	n := 0
	for p.at+n < len(p.lines) && p.lines[p.at+n] == "" {
		n++
	}
	return n
}

func isMarked(line string) bool {
	return line != "" && (line[0] == byte(Context) || line[0] == byte(Remove) || line[0] == byte(Add))
}

// counts are the remaining lines of a hunk according to its header.
type counts struct {
	known    bool
	old, now int
}

func (c *counts) open() bool { return c.known && (c.old > 0 || c.now > 0) }

func (c *counts) take(kind LineKind) {
	if kind != Add {
		c.old--
	}
	if kind != Remove {
		c.now--
	}
}

// hunkHeader parses a line "@@ -1,2 +1,3 @@ section". The section is a hint like any header.
func hunkHeader(line string) (Hunk, *counts) {
	var h Hunk
	if text := anchorText(line); text != "" && !IsElision(text) {
		h.Anchors = []string{text}
	}
	numbers := ranges.FindStringSubmatch(line[len("@@"):])
	if numbers == nil {
		return h, &counts{}
	}
	h.Near = lineNumber(numbers[1], 0)
	return h, &counts{known: true, old: lineNumber(numbers[2], 1), now: lineNumber(numbers[3], 1)}
}

// lineNumber parses a number of a hunk header; otherwise replaces a missing or too large one.
func lineNumber(digits string, otherwise int) int {
	n, err := strconv.Atoi(digits)
	if err != nil || n > math.MaxInt32 {
		return otherwise
	}
	return n
}
