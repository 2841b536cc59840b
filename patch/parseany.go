package patch

import "strings"

// Format is a notation of edits.
type Format string

// The formats.
const (
	V4A           Format = "v4a"
	SearchReplace Format = "search-replace"
	UnifiedDiff   Format = "unified"
)

// ParseAny reads a patch in whichever format begins first in the text, and says which it is. A text
// in none of them is a *ParseError with an empty format.
func ParseAny(text string) (Patch, Format, error) {
	p := &diffParser{parser: parser{lines: patchLines(text)}}
	for ; !p.done(); p.at++ {
		line := strings.TrimSpace(p.lines[p.at])
		var format Format
		var parse func(string) (Patch, error)
		switch {
		case line == beginPatch:
			format, parse = V4A, Parse
		case searchMarker.MatchString(line):
			format, parse = SearchReplace, ParseSearchReplace
		case p.atSection():
			format, parse = UnifiedDiff, ParseUnified
		default:
			continue
		}
		patch, err := parse(text)
		return patch, format, err
	}
	return Patch{}, "", &ParseError{Line: 1, Cause: `there is no patch: begin with "*** Begin Patch", "<<<<<<< SEARCH" below a path, or "--- path"`}
}
