package work

import (
	"strconv"

	"forge/cmd/forge/terminal"
)

// decodeRequest decodes a line and returns why it is none, or nothing.
func decodeRequest(line []byte, r *batchRequest) string {
	if problem := terminal.JSONProblem(line, r, shapes); problem != "" {
		return problem
	}
	switch {
	case len(r.Edit) == 0 || string(r.Edit) == "null":
		return "there is no edit: " + shapes
	case hasLoneSurrogate(line):
		return "a string has half of a surrogate pair, which no text can hold"
	}
	return ""
}

// shapes says what the fields of a request are.
const shapes = "format is a string, files an object of texts by path, edit a string, a list of {path, search, replace} or a list of actions"

// hasLoneSurrogate reports whether valid JSON escapes half of a surrogate pair. Its decoder would replace
// that with U+FFFD, and so change the text unnoticed.
func hasLoneSurrogate(line []byte) bool {
	for i := 0; i < len(line); {
		unit, size := escape(line[i:])
		i += size
		if unit < 0xD800 || unit > 0xDFFF {
			continue
		}
		low, size := escape(line[i:])
		if unit > 0xDBFF || low < 0xDC00 || low > 0xDFFF {
			return true
		}
		i += size
	}
	return false
}

// escape reads one escape or byte of valid JSON; unit is 0 for all but \u escapes.
func escape(rest []byte) (unit uint64, size int) {
	switch {
	case len(rest) < 2 || rest[0] != '\\':
		return 0, 1
	case rest[1] != 'u' || len(rest) < 6:
		return 0, 2
	}
	unit, _ = strconv.ParseUint(string(rest[2:6]), 16, 16)
	return unit, 6
}
