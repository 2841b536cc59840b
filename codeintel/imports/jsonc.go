package imports

import (
	"bytes"
	"encoding/json"
)

// readJSON reads JSON with comments and commas before a closing bracket, as configurations have it. What has another
// type than expected keeps its zero value; what is not JSON leaves into as far as it is. It never fails.
func readJSON(content []byte, into any) {
	content = bytes.TrimPrefix(content, []byte("\uFEFF"))
	// The error is of no use here: of one wrong field the others still count.
	_ = json.Unmarshal(plainJSON(content), into)
}

// plainJSON takes comments and trailing commas out.
func plainJSON(content []byte) []byte {
	plain := make([]byte, 0, len(content))
	comma := -1 // where in plain the last comma stands, if only space follows it
	for at := 0; at < len(content); {
		switch c := content[at]; {
		case c == '"':
			end := at + stringLength(content[at:])
			plain, at, comma = append(plain, content[at:end]...), end, -1
			continue
		case c == '/':
			if length := commentLength(content[at:]); length > 0 {
				at += length
				continue
			}
		case c == ',':
			comma = len(plain)
		case c == ']' || c == '}':
			if comma >= 0 {
				plain[comma] = ' '
			}
			comma = -1
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			comma = -1
		}
		plain = append(plain, content[at])
		at++
	}
	return plain
}

// stringLength measures the string that a text begins with, quotes included.
func stringLength(text []byte) int {
	for at := 1; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return len(text)
}

// commentLength measures the comment that a text begins with; it is 0 if that is none.
func commentLength(text []byte) int {
	opening, ending := []byte("/*"), []byte("*/")
	if bytes.HasPrefix(text, []byte("//")) {
		opening, ending = []byte("//"), []byte("\n")
	}
	if !bytes.HasPrefix(text, opening) {
		return 0
	}
	end := bytes.Index(text[2:], ending)
	switch {
	case end < 0:
		return len(text)
	case ending[0] == '\n':
		return 2 + end
	default:
		return 2 + end + len(ending)
	}
}

// entry is one name of a JSON object with its value.
type entry struct {
	key   string
	value json.RawMessage
}

// orderedJSON returns what a JSON object holds, in the order it is written; nothing for any other value.
func orderedJSON(content []byte) []entry {
	decoder := json.NewDecoder(bytes.NewReader(content))
	if opening, err := decoder.Token(); err != nil || opening != json.Delim('{') {
		return nil
	}
	var entries []entry
	for decoder.More() {
		key, err := decoder.Token()
		name, isName := key.(string)
		var value json.RawMessage
		if err != nil || !isName || decoder.Decode(&value) != nil {
			break
		}
		entries = append(entries, entry{name, value})
	}
	return entries
}

// oneOrMore returns the strings of a value that is a string or a list.
func oneOrMore(value json.RawMessage) []string {
	var one string
	if json.Unmarshal(value, &one) == nil {
		return []string{one}
	}
	var some []json.RawMessage
	if json.Unmarshal(value, &some) != nil {
		return nil
	}
	var words []string
	for _, element := range some {
		if json.Unmarshal(element, &one) == nil {
			words = append(words, one)
		}
	}
	return words
}
