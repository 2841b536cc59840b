package match

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"forge/patch"
)

// pathRunes is how much of a path a message shows.
const pathRunes = 200

// ErrNoChange says that every file of an edit already is as the edit wants it.
var ErrNoChange = errors.New("the edit changes nothing: every file it names already has this text")

// TextError says why a file, or the text meant for it, cannot be edited as text.
type TextError struct {
	Path  string
	Cause string
}

func (e *TextError) Error() string {
	return fmt.Sprintf("%s cannot be edited as text: %s", patch.Clip(e.Path, pathRunes), e.Cause)
}

// ExistsError says that a file would be overwritten by one that is created or moved. Overwriting is
// for a front that asked; see Replace.
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

// MissingError says that a file to be changed is not there. It matches fs.ErrNotExist.
type MissingError struct {
	Path string
	Kind patch.Kind // Update, Delete or Move
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s does not exist, so there is nothing to %s: check the path, or create the file", patch.Clip(e.Path, pathRunes), e.Kind)
}

// Unwrap lets errors.Is find fs.ErrNotExist.
func (e *MissingError) Unwrap() error { return fs.ErrNotExist }

// AmbiguousError says that a hunk fits several places equally well.
type AmbiguousError struct {
	Path  string
	Hunk  int // from 1, in the order of the patch
	Level patch.Level
	Lines []int // from 1, of every place, ascending

	Search string // the first line of what the replacement searches for, if it is one of a list of replacements and no hunk of a patch
}

// shownPlaces bounds the lines an ambiguity lists.
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

// part names a hunk, or the replacement that searches for a text.
func part(hunk int, search string) string {
	if search == "" {
		return fmt.Sprintf("hunk %d", hunk)
	}
	return fmt.Sprintf("replacement %d (of %q)", hunk, patch.Clip(search, searchRunes))
}

// searchRunes is how much of a search text names it.
const searchRunes = 60

// OverlapError says that two hunks of a patch want the same lines.
type OverlapError struct {
	Path          string
	First, Second int // hunks, from 1, in the order of the patch
	Line          int // from 1, the first line both want
}

func (e *OverlapError) Error() string {
	return fmt.Sprintf("%s: hunks %d and %d both change line %d: write them as one hunk", patch.Clip(e.Path, pathRunes), e.First, e.Second, e.Line)
}

// AlreadyAppliedError says that the outcome of a hunk already stands in the file. It is an error and
// not a success, because the patch was made from another text than the one it met.
type AlreadyAppliedError struct {
	Path string
	Hunk int // from 1, in the order of the patch
	Line int // from 1, where the outcome stands

	Search string // as in AmbiguousError
}

func (e *AlreadyAppliedError) Error() string {
	return fmt.Sprintf("%s: %s is already applied at line %d: leave it out", patch.Clip(e.Path, pathRunes), part(e.Hunk, e.Search), e.Line)
}
