package patch

import (
	"fmt"
	"strings"
)

// Replacement is one entry of a list of edits: it replaces one text in a file by another.
type Replacement struct {
	Path    string
	Search  string // must occur in the file exactly once; empty creates the file
	Replace string
}

// BlockError reports an invalid replacement of a list, and why it is invalid.
type BlockError struct {
	Number int // from 1, in the list
	Path   string
	Cause  string
	Err    error // the *PathError behind it, or nil
}

func (e *BlockError) Error() string {
	return fmt.Sprintf("replacement %d (%q): %s", e.Number, Clip(e.Path, pathRunes), e.Cause)
}

// Unwrap returns the error behind the cause, if there is one.
func (e *BlockError) Unwrap() error { return e.Err }

// FromReplacements converts a list of replacements to a patch. Each is a hunk: the common lines of both texts are context, the others are
// removed and added, so that the same ladder matches it. A search text that is not whole lines is matched byte for byte, and must occur
// once.
//
// Replacements of one file are matched against the text before all of them, in any order. If that fails, they are applied in sequence,
// and one that does not match the first text must then match exactly in the result of the ones before it (see Resolve). The error is a
// *BlockError.
func FromReplacements(list []Replacement) (Patch, error) {
	var p Patch
	for i, r := range list {
		op, err := r.op()
		if err != nil {
			err.Number, err.Path = i+1, r.Path
			return Patch{}, err
		}
		p.Ops = append(p.Ops, op)
	}
	if len(p.Ops) == 0 {
		return Patch{}, &BlockError{Cause: "the list is empty: give at least one replacement"}
	}
	return p, nil
}

func (r Replacement) op() (FileOp, *BlockError) {
	path := plainPath(r.Path)
	if err := CheckPath(path); err != nil {
		return FileOp{}, &BlockError{Cause: err.Error(), Err: err}
	}
	search, replace := r.Search, r.Replace
	if rest, marked := strings.CutPrefix(search, ByteOrderMark); marked {
		search, replace = rest, strings.TrimPrefix(replace, ByteOrderMark)
	}
	switch {
	case search == "" && replace == "":
		return FileOp{}, &BlockError{Cause: "both texts are empty"}
	case search == "":
		return FileOp{Kind: Create, Path: path, Content: replace, Fill: true}, nil
	case IsBlank(search):
		return FileOp{}, &BlockError{Cause: "the search text is only white space, which matches anywhere; add a line next to it"}
	case search == replace:
		return FileOp{}, &BlockError{Cause: "search and replacement are the same text: leave it out"}
	}
	hunk := Hunk{Lines: pairLines(search, replace), Literal: &Literal{Old: search, New: replace}}
	return FileOp{Kind: Update, Path: path, Hunks: []Hunk{hunk}}, nil
}

// pairLines converts the text before and the text after to the lines of a hunk.
func pairLines(search, replace string) []Line {
	old, now := pieces(search, replace)
	var lines []Line
	at := 0
	for _, c := range compare(old, now) {
		lines = AppendLines(lines, Context, old[at:c.aFrom])
		lines = AppendLines(lines, Remove, old[c.aFrom:c.aTo])
		lines = AppendLines(lines, Add, now[c.bFrom:c.bTo])
		at = c.aTo
	}
	return AppendLines(lines, Context, old[at:])
}

// pieces splits both texts into lines without their ends. A line end at the very end of one text only means that an empty line is removed
// or added after it, as if the texts were joined lists of lines; if one text is empty, the lines of the other are meant.
func pieces(search, replace string) (old, now []string) {
	old, now = bareLines(search), bareLines(replace)
	if replace == "" || EndsLine(search) == EndsLine(replace) {
		return old, now
	}
	if EndsLine(search) {
		return append(old, ""), now
	}
	return old, append(now, "")
}

func bareLines(text string) []string {
	lines := SplitLines(text)
	for i, line := range lines {
		lines[i] = TrimEnd(line)
	}
	return lines
}
