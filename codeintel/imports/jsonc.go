package imports

import (
	"bytes"
	"encoding/json"

	"github.com/tidwall/jsonc"
)

// readJSON reads JSON with comments and commas before a closing bracket, as configurations have it. What has another
// type than expected keeps its zero value; what is not JSON leaves into as far as it is. It never fails.
func readJSON(content []byte, into any) {
	content = bytes.TrimPrefix(content, []byte("\uFEFF"))
	// The error does not matter: after one wrong field the others still count.
	_ = json.Unmarshal(jsonc.ToJSON(content), into)
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
