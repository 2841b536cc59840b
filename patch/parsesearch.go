package patch

import (
	"fmt"
	"strconv"
	"strings"

	"forge/internal/lazyregexp"
)

// The markers of a search/replace block, as models write them.
var (
	searchMarker  = lazyregexp.New(`^<{5,9} ?(SEARCH|ORIGINAL)>?$`)
	dividerMarker = lazyregexp.New(`^={5,9}$`)
	replaceMarker = lazyregexp.New(`^>{5,9} ?(REPLACE|UPDATED)$`)
	startLine     = lazyregexp.New(`^:(start|end)_line: ?(\d{1,9})$`)
	ruleLine      = lazyregexp.New(`^-{5,9}$`)
)

// ParseSearchReplace parses search/replace blocks in a text: a line with the path, and below it
//
//	<<<<<<< SEARCH
//	the current text in the file
//	=======
//	the new text
//	>>>>>>> REPLACE
//
// with or without code fences around the block or below the path, and with prose anywhere else. A block without a path is for the file
// of the previous block; a block with an empty search creates its file. Below the first marker, ":start_line:" may give the line where
// the search begins, as a hint. FromReplacements defines the meaning of blocks; the error is a *ParseError.
func ParseSearchReplace(text string) (Patch, error) {
	p := &blockParser{lines: patchLines(text)}
	for ; p.at < len(p.lines); p.at++ {
		if !p.is(searchMarker, p.at) {
			continue
		}
		if err := p.block(); err != nil {
			return Patch{}, err
		}
	}
	if len(p.ops) == 0 {
		return Patch{}, &ParseError{Line: 1, Cause: `no search/replace block found: it must begin with a line "<<<<<<< SEARCH"`}
	}
	return Patch{Ops: p.ops}, nil
}

type blockParser struct {
	lines []string
	at    int // the line being read
	from  int // the line after the previous block
	path  string
	ops   []FileOp
}

func (p *blockParser) is(marker *lazyregexp.Regexp, at int) bool {
	return marker.MatchString(strings.TrimRight(p.lines[at], " \t"))
}

// block parses one block from its first marker on and leaves p.at on its last line.
func (p *blockParser) block() error {
	begin := p.at
	if err := p.findPath(); err != nil {
		return err
	}
	near := p.hints()
	divider, end, err := p.bounds(begin)
	if err != nil {
		return err
	}
	r := Replacement{Path: p.path, Search: joined(p.lines[p.at:divider]), Replace: joined(p.lines[divider+1 : end])}
	op, failed := r.op()
	if failed != nil {
		return &ParseError{Line: begin + 1, Cause: failed.Cause, Err: failed.Err}
	}
	for i := range op.Hunks {
		op.Hunks[i].Near = near
	}
	p.ops = append(p.ops, op)
	p.at, p.from = end, end+1
	return nil
}

// hints parses what some dialects put above a search: line numbers and a rule below them.
func (p *blockParser) hints() (near int) {
	p.at++
	first := p.at
	for ; p.at < len(p.lines) && p.is(startLine, p.at); p.at++ {
		if found := startLine.FindStringSubmatch(strings.TrimSpace(p.lines[p.at])); found[1] == "start" {
			near, _ = strconv.Atoi(found[2]) // nine digits at most
		}
	}
	if p.at > first && p.at < len(p.lines) && p.is(ruleLine, p.at) {
		p.at++
	}
	return near
}

// bounds finds the markers that divide and end the block that begins at a line. It rejects a block with two possible dividers.
func (p *blockParser) bounds(begin int) (divider, end int, err error) {
	divider = -1
	for i := p.at; i < len(p.lines); i++ {
		switch {
		case p.is(dividerMarker, i) && divider >= 0:
			return 0, 0, &ParseError{Line: i + 1, Cause: `a second line "=======" in one block: it is ambiguous which one ends the search; use another notation for these lines`}
		case p.is(dividerMarker, i):
			divider = i
		case p.is(replaceMarker, i) && divider >= 0:
			return divider, i, nil
		case p.is(searchMarker, i), p.is(replaceMarker, i):
			return 0, 0, &ParseError{Line: i + 1, Cause: fmt.Sprintf("the block that begins at line %d is not complete: it needs =======, then >>>>>>> REPLACE", begin+1)}
		}
	}
	return 0, 0, &ParseError{Line: len(p.lines), Cause: fmt.Sprintf("the block that begins at line %d is incomplete: it has no line \">>>>>>> REPLACE\"", begin+1)}
}

// findPath looks for a path above the block: the nearest line that is neither blank nor a fence.
func (p *blockParser) findPath() error {
	for i := p.at - 1; i >= p.from; i-- {
		line := strings.TrimSpace(p.lines[i])
		if line == "" || IsFence(line) {
			continue
		}
		if name, ok := pathLine(line); ok {
			p.path = name
			return nil
		}
		break
	}
	if p.path == "" {
		return &ParseError{Line: p.at + 1, Cause: "the path is missing: write it alone on the line above <<<<<<< SEARCH"}
	}
	return nil
}

// fileEnding matches the extension of a file name.
var fileEnding = lazyregexp.New(`\.[A-Za-z0-9_+-]{1,16}$`)

// pathLine recognises a line that is only a path, possibly formatted as a heading, bold or code, with "File:" before or a colon after it.
func pathLine(line string) (name string, ok bool) {
	name = strings.TrimSpace(strings.TrimLeft(line, "#"))
	name = strings.Trim(name, "*`")
	name = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(name, "File:"), "file:"))
	name, colon := strings.CutSuffix(name, ":")
	name = strings.Trim(name, "*`\"")
	switch {
	case name == "" || strings.Trim(name, ".…") == "":
		return "", false
	case fileEnding.MatchString(name):
		return name, true
	}
	return name, !colon && !strings.ContainsAny(name, " \t")
}

// joined joins whole lines.
func joined(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}
