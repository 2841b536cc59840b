package patch

import (
	"fmt"
	"strings"
)

// Replacement is one entry of a structured list of edits: in a file, one text stands for another.
type Replacement struct {
	Path    string
	Search  string // must stand in the file, once; empty creates the file
	Replace string
}

// BlockError says which replacement of a list cannot be meant, and why.
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

// FromReplacements makes a patch of a list of replacements. Each is a hunk: what the two texts have in
// common is context, the rest is removed and added, so that the same ladder finds it. A search text
// that is no whole line is found as it is, byte for byte, and only where it stands once.
//
// Replacements of one file are matched against the text before all of them, in any order. Only where
// that fails they are made one after the other, and one that is nowhere in the first text must then
// stand exactly in what the ones before it left (see Resolve). The error is a *BlockError.
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
		return FileOp{}, &BlockError{Cause: "the search text is only white space, which says no place; search for a line beside it"}
	case search == replace:
		return FileOp{}, &BlockError{Cause: "search and replacement are the same text: leave it out"}
	}
	hunk := Hunk{Lines: pairLines(search, replace), Literal: &Literal{Old: search, New: replace}}
	return FileOp{Kind: Update, Path: path, Hunks: []Hunk{hunk}}, nil
}

// pairLines makes the lines of a hunk from the text before and the text after it.
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

// pieces cuts both texts into lines without their ends. An end at the very end of one text only says
// that an empty line is taken away or put in behind it, as if the texts were lists of lines that are
// joined; where nothing is to stand for a text, its lines are meant.
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
