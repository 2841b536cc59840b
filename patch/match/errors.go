package match

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"forge/patch"
)

// pathRunes bounds a path in a message, in characters.
const pathRunes = 200

// ErrNoChange means that every file of an edit already has the result of the edit.
var ErrNoChange = errors.New("the edit changes nothing: every file it names already has this text")

// TextError reports why a file, or its new text, cannot be edited as text.
type TextError struct {
	Path  string
	Cause string
}

func (e *TextError) Error() string {
	return fmt.Sprintf("%s cannot be edited as text: %s", patch.Clip(e.Path, pathRunes), e.Cause)
}

// ExistsError reports that a creation or a move would overwrite a file. A front may overwrite after asking the user; see Replace.
type ExistsError struct {
	Path string
	Kind patch.Kind // Create or Move
}

func (e *ExistsError) Error() string {
	if e.Kind == patch.Move {
		return fmt.Sprintf("%s already exists, so nothing is moved onto it: choose another name or delete it first", patch.Clip(e.Path, pathRunes))
	}
	return fmt.Sprintf("%s already exists, so it is not created: update it instead", patch.Clip(e.Path, pathRunes))
}

// MissingError reports that a file to change does not exist. It matches fs.ErrNotExist.
type MissingError struct {
	Path string
	Kind patch.Kind // Update, Delete or Move
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s does not exist, so there is nothing to %s: check the path, or create the file", patch.Clip(e.Path, pathRunes), e.Kind)
}

// Unwrap returns fs.ErrNotExist.
func (e *MissingError) Unwrap() error { return fs.ErrNotExist }

// AmbiguousError reports that a hunk matches several places equally well.
type AmbiguousError struct {
	Path  string
	Hunk  int // from 1, in the order of the patch
	Level patch.Level
	Lines []int // from 1, of every place, ascending

	Search string // the first line of the search text, if it is a replacement of a list and not a hunk of a patch
}

// shownPlaces bounds the lines in the message.
const shownPlaces = 10

func (e *AmbiguousError) Error() string {
	var lines []string
	for _, n := range e.Lines[:min(len(e.Lines), shownPlaces)] {
		lines = append(lines, strconv.Itoa(n))
	}
	if rest := len(e.Lines) - shownPlaces; rest > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", rest))
	}
	advice := `add context lines, or a header "@@ <line above it>", that tell them apart`
	if e.Search != "" {
		advice = "search for more of the lines around the one that is meant"
	}
	return fmt.Sprintf("%s: %s fits %d places (lines %s): %s", patch.Clip(e.Path, pathRunes), part(e.Hunk, e.Search), len(e.Lines), strings.Join(lines, ", "), advice)
}

// part names a hunk, or the replacement with a search text.
func part(hunk int, search string) string {
	if search == "" {
		return fmt.Sprintf("hunk %d", hunk)
	}
	return fmt.Sprintf("replacement %d (of %q)", hunk, patch.Clip(search, searchRunes))
}

// searchRunes bounds a search text in a message, in characters.
const searchRunes = 60

// OverlapError reports that two hunks of a patch change the same lines.
type OverlapError struct {
	Path          string
	First, Second int // hunks, from 1, in the order of the patch
	Line          int // from 1, the first common line
}

func (e *OverlapError) Error() string {
	return fmt.Sprintf("%s: hunks %d and %d both change line %d: write them as one hunk", patch.Clip(e.Path, pathRunes), e.First, e.Second, e.Line)
}

// AlreadyAppliedError reports that the result of a hunk is in the file already. It is an error, because the patch was made from another
// text.
type AlreadyAppliedError struct {
	Path string
	Hunk int // from 1, in the order of the patch
	Line int // from 1, of the result

	Search string // as in AmbiguousError
}

func (e *AlreadyAppliedError) Error() string {
	return fmt.Sprintf("%s: %s is already applied at line %d: leave it out", patch.Clip(e.Path, pathRunes), part(e.Hunk, e.Search), e.Line)
}
