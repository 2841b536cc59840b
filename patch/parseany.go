package patch

import "strings"

// Format is a notation of edits.
type Format string

// The formats.
const (
	V4A           Format = "v4a"
	SearchReplace Format = "search-replace"
	UnifiedDiff   Format = "unified"
	Actions       Format = "actions"
)

// ParseAny parses a patch in the format that begins first in the text, and returns that format. A text in no format is a *ParseError
// with an empty format; other errors are those of the format's parser.
func ParseAny(text string) (Patch, Format, error) {
	text = strings.TrimPrefix(text, ByteOrderMark)
	p := &diffParser{parser: parser{lines: patchLines(text)}}
	actions := actionsLine(text)
	for ; !p.done(); p.at++ {
		line := strings.TrimSpace(p.lines[p.at])
		var format Format
		var parse func(string) (Patch, error)
		switch {
		case p.at == actions:
			format, parse = Actions, ParseActions
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
	if actionField.MatchString(text) && len(jsonValues(text, false)) > 0 { // its parser has a better error
		patch, err := ParseActions(text)
		return patch, Actions, err
	}
	return Patch{}, "", &ParseError{Line: 1, Cause: `no patch found: begin with "*** Begin Patch", "<<<<<<< SEARCH" below a path, "--- path", or [{"path": …, "action": …`}
}
