package patch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"forge/internal/lazyregexp"
)

// readObject returns the members of a JSON object. It rejects a duplicate name, because parsers do not agree on which one counts; it
// returns the members before it with the cause.
func readObject(raw json.RawMessage) (fields map[string]json.RawMessage, cause string) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return nil, `it is not an object: write {"path": …, "action": …}`
	}
	fields = map[string]json.RawMessage{}
	for d.More() {
		token, err := d.Token()
		name, ok := token.(string)
		var value json.RawMessage
		if err != nil || !ok || d.Decode(&value) != nil {
			return fields, "it is not JSON"
		}
		if fields[name] != nil {
			return fields, fmt.Sprintf("it has %q twice: leave one out", Clip(name, shownRunes))
		}
		fields[name] = value
	}
	return fields, ""
}

// readText reads a string to the byte; missing and null are nil. The cause continues "its content …".
func readText(raw json.RawMessage) (text *string, cause string) {
	switch {
	case raw == nil || string(raw) == "null":
		return nil, ""
	case json.Unmarshal(raw, &text) != nil:
		return nil, "must be a string"
	case !utf8.Valid(raw):
		return nil, "is not valid UTF-8"
	case hasLoneSurrogate(raw):
		return nil, "has half of a surrogate pair, which is invalid in text"
	}
	return text, ""
}

// jsonEscape is one escape in a JSON string.
var jsonEscape = lazyregexp.New(`\\(u[0-9a-fA-F]{4}|.)`)

// hasLoneSurrogate reports whether a JSON string escapes half of a surrogate pair. The decoder would replace that with U+FFFD.
func hasLoneSurrogate(raw []byte) bool {
	if !bytes.Contains(raw, []byte(`\ud`)) && !bytes.Contains(raw, []byte(`\uD`)) {
		return false // the common case, which avoids scanning all escapes of a long text
	}
	high, end := rune(0), 0 // a high surrogate, and the offset where its low one must follow
	for _, at := range jsonEscape.FindAllIndex(raw, -1) {
		unit := rune(0)
		if at[1]-at[0] > 2 {
			code, _ := strconv.ParseUint(string(raw[at[0]+2:at[1]]), 16, 16)
			unit = rune(code)
		}
		paired := high != 0 && at[0] == end && utf16.DecodeRune(high, unit) != utf8.RuneError
		switch {
		case paired:
			high = 0
		case high != 0, utf16.IsSurrogate(unit) && unit >= 0xDC00:
			return true
		case utf16.IsSurrogate(unit):
			high, end = unit, at[1]
		}
	}
	return high != 0
}
