package patch

import (
	"errors"
	"slices"
	"strings"
)

// contentHelp describes the content of a patch action.
const contentHelp = "write hunks of V4A, @@ and then lines that begin with a space, - or +"

// parseContent parses the content of a patch action: a V4A patch, also without its markers or the header of the file, or a unified diff
// with or without names. It ignores a code fence around it. The error is a *ParseError about the lines of the content.
func parseContent(path, content string) ([]FileOp, error) {
	p := unwrapped(content)
	if p.skipBlank(); p.done() {
		return nil, &ParseError{Line: 1, Cause: "it is empty: " + contentHelp}
	}
	head := p.lines[p.at]
	switch {
	case strings.HasPrefix(head, gitHeader), p.atFile():
		diff, err := ParseUnified(content)
		return diff.Ops, err
	case strings.TrimSpace(head) != beginPatch && (isFileHeader(head) || isHeader(head) || isMarked(head)):
		p.dropEnd()
		if isHeader(head) && ranges.MatchString(head[len("@@"):]) && !slices.ContainsFunc(p.lines, isMarker) {
			return p.nameless(path)
		}
		return p.sections(path)
	}
	blocks, err := findBlocks(p.lines)
	if err != nil && strings.TrimSpace(head) != beginPatch {
		return nil, p.fail("%q is not a hunk: %s", Clip(head, 60), contentHelp)
	}
	var ops []FileOp
	for _, b := range blocks {
		inner := &parser{lines: p.lines[:b.end], at: b.begin + 1}
		found, err := inner.sections(path)
		if err != nil {
			return nil, err
		}
		ops = append(ops, found...)
	}
	return ops, err
}

// unwrapped returns a parser of the lines of a content, without a code fence around them and without the empty line after the last
// line end.
func unwrapped(content string) *diffParser {
	p := &diffParser{parser: parser{lines: patchLines(strings.TrimSuffix(content, "\n"))}}
	if p.skipBlank(); !p.done() && IsFence(p.lines[p.at]) {
		p.at++
		if end := p.lastLine(); end >= p.at && IsFence(p.lines[end]) {
			p.lines = p.lines[:end]
		}
	}
	return p
}

// lastLine returns the index of the last line that is not blank, or -1.
func (p *parser) lastLine() int {
	end := len(p.lines) - 1
	for end >= 0 && strings.TrimSpace(p.lines[end]) == "" {
		end--
	}
	return end
}

// dropEnd removes an end marker without a begin marker.
func (p *parser) dropEnd() {
	if end := p.lastLine(); end >= p.at && isMarker(p.lines[end]) && strings.TrimSpace(p.lines[end]) == endPatch {
		p.lines = p.lines[:end]
	}
}

// isFileHeader reports whether a line is the header of a file.
func isFileHeader(line string) bool {
	line = strings.TrimSpace(line)
	for _, marker := range []string{addFile, deleteFile, updateFile, moveTo} {
		if strings.HasPrefix(line, marker) {
			return true
		}
	}
	return false
}

// sections parses the lines between the markers of a patch. Lines before the first file header are about the file at path.
func (p *parser) sections(path string) ([]FileOp, error) {
	var ops []FileOp
	p.skipBlank()
	if !p.done() && (!isFileHeader(p.lines[p.at]) || strings.HasPrefix(strings.TrimSpace(p.lines[p.at]), moveTo)) {
		op := FileOp{Kind: Update, Path: path}
		if err := p.update(&op); err != nil {
			return nil, err
		}
		ops = append(ops, op)
	}
	for p.skipBlank(); !p.done(); p.skipBlank() {
		op, err := p.op()
		if err != nil {
			return nil, err
		}
		ops = append(ops, op)
	}
	if len(ops) == 0 {
		return nil, p.fail("it is empty: %s", contentHelp)
	}
	return ops, nil
}

// nameless parses hunks of a unified diff without file names.
func (p *diffParser) nameless(path string) ([]FileOp, error) {
	names := oldFile + fileName("a/"+path, false) + "\n" + newFile + fileName("b/"+path, false) + "\n"
	diff, err := ParseUnified(names + joined(p.lines[p.at:]))
	if failed, ok := errors.AsType[*ParseError](err); ok {
		failed.Line = max(failed.Line+p.at-strings.Count(names, "\n"), 1)
	}
	return diff.Ops, err
}
