package patch

import (
	"fmt"
	"strings"
)

// The markers of V4A.
const (
	beginPatch = "*** Begin Patch"
	endPatch   = "*** End Patch"
	addFile    = "*** Add File:"
	deleteFile = "*** Delete File:"
	updateFile = "*** Update File:"
	moveTo     = "*** Move to:"
	endOfFile  = "*** End of File"
)

// Parse parses a patch in V4A notation in a text. It ignores prose, code fences and here-document lines around
// "*** Begin Patch" … "*** End Patch", white space around markers, and the kind of line ends; several blocks are one patch. The error
// is a *ParseError.
func Parse(text string) (Patch, error) {
	lines := patchLines(text)
	blocks, err := findBlocks(lines)
	if err != nil {
		return Patch{}, err
	}
	var p Patch
	for _, b := range blocks {
		ops, err := parseBlock(lines, b)
		if err != nil {
			return Patch{}, err
		}
		p.Ops = append(p.Ops, ops...)
	}
	return p, nil
}

// patchLines splits at line feeds only: a lone carriage return is content. A leading byte order mark and the carriage returns of CRLF
// are not content of the patch.
func patchLines(text string) []string {
	lines := strings.Split(strings.TrimPrefix(text, ByteOrderMark), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	return lines
}

// block is one patch in a text: the indices of its first and last marker.
type block struct{ begin, end int }

// findBlocks finds the patches of a text. The end marker of a block is the last one before the next
// block, so that a context line that reads like a padded marker stays a context line.
func findBlocks(lines []string) ([]block, error) {
	var blocks []block
	open := block{begin: -1, end: -1}
	for i, line := range lines {
		switch marker := strings.TrimSpace(line); {
		case marker == beginPatch && open.begin < 0:
			open.begin = i
		case marker == endPatch && open.begin >= 0:
			open.end = i
		case line == beginPatch && open.end >= 0:
			blocks = append(blocks, open)
			open = block{begin: i, end: -1}
		}
	}
	if open.begin < 0 {
		return nil, &ParseError{Line: 1, Cause: fmt.Sprintf("no patch found: it must begin with a line %q", beginPatch)}
	}
	if open.end < 0 {
		return nil, &ParseError{Line: len(lines), Cause: fmt.Sprintf("the patch is incomplete: the line %q is missing", endPatch)}
	}
	return append(blocks, open), nil
}

func parseBlock(lines []string, b block) ([]FileOp, error) {
	p := &parser{lines: lines[:b.end], at: b.begin + 1}
	var ops []FileOp
	for p.skipBlank(); !p.done(); p.skipBlank() {
		op, err := p.op()
		if err != nil {
			return nil, err
		}
		ops = append(ops, op)
	}
	if len(ops) == 0 {
		return nil, p.fail("the patch is empty: name at least one file to add, update or delete")
	}
	return ops, nil
}

// parser reads the lines of one block.
type parser struct {
	lines []string
	at    int
}

func (p *parser) done() bool { return p.at >= len(p.lines) }

func (p *parser) skipBlank() {
	for !p.done() && strings.TrimSpace(p.lines[p.at]) == "" {
		p.at++
	}
}

func (p *parser) fail(format string, args ...any) error {
	return &ParseError{Line: p.at + 1, Cause: fmt.Sprintf(format, args...)}
}

// op parses one file header and its hunks or content.
func (p *parser) op() (FileOp, error) {
	header := strings.TrimSpace(p.lines[p.at])
	for _, form := range []struct {
		marker string
		kind   Kind
		body   func(*parser, *FileOp) error
	}{
		{addFile, Create, (*parser).content},
		{deleteFile, Delete, (*parser).nothing},
		{updateFile, Update, (*parser).update},
	} {
		name, ok := strings.CutPrefix(header, form.marker)
		if !ok {
			continue
		}
		path, err := p.path(name)
		if err != nil {
			return FileOp{}, err
		}
		op := FileOp{Kind: form.kind, Path: path}
		p.at++
		return op, form.body(p, &op)
	}
	return FileOp{}, p.fail("%q is not a file header: write %q, %q or %q and a path", Clip(header, 60), addFile, updateFile, deleteFile)
}

// path parses a path after a marker, without a leading "./" (see plainPath).
func (p *parser) path(name string) (string, error) {
	path := plainPath(name)
	if err := CheckPath(path); err != nil {
		return "", &ParseError{Line: p.at + 1, Cause: err.Error(), Err: err}
	}
	return path, nil
}

func plainPath(name string) string {
	path := strings.TrimSpace(name)
	for strings.HasPrefix(path, "./") {
		path = strings.TrimLeft(path[2:], "/")
	}
	return path
}

func (p *parser) nothing(*FileOp) error { return nil }

// content parses the "+" lines of a new file. An empty line between them has lost its "+"; one after them is layout.
func (p *parser) content(op *FileOp) error {
	var b strings.Builder
	for blanks := 0; !p.done(); p.at++ {
		line := p.lines[p.at]
		switch {
		case line == "":
			blanks++
		case line[0] == '+':
			b.WriteString(strings.Repeat("\n", blanks))
			b.WriteString(line[1:] + "\n")
			blanks = 0
		case strings.TrimSpace(line) == endOfFile:
		case strings.HasPrefix(strings.TrimSpace(line), "***"):
			op.Content = b.String()
			return nil
		default:
			return p.fail("a line of the new file %s must begin with +: %q", op.Path, Clip(line, 60))
		}
	}
	op.Content = b.String()
	return nil
}

// update parses the destination and the hunks of an updated file.
func (p *parser) update(op *FileOp) error {
	if err := p.destination(op); err != nil {
		return err
	}
	for p.skipBlank(); !p.done() && !isMarker(p.lines[p.at]); p.skipBlank() {
		hunk, err := p.hunk(len(op.Hunks) == 0)
		if err != nil {
			return err
		}
		op.Hunks = append(op.Hunks, hunk)
	}
	if len(op.Hunks) == 0 && op.Kind == Update {
		return p.fail("the update of %s is empty: it needs at least one hunk", op.Path)
	}
	return nil
}

func (p *parser) destination(op *FileOp) error {
	p.skipBlank()
	if p.done() {
		return nil
	}
	name, ok := strings.CutPrefix(strings.TrimSpace(p.lines[p.at]), moveTo)
	if !ok {
		return nil
	}
	to, err := p.path(name)
	if err != nil {
		return err
	}
	if to == op.Path {
		return p.fail("%s is moved onto itself", to)
	}
	op.Kind, op.To = Move, to
	p.at++
	return nil
}

// isMarker reports whether a line of an update ends its hunks: only a marker in the first column does; after white space it is context.
func isMarker(line string) bool { return strings.HasPrefix(line, "***") }
