package secret

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// JSON replaces the secrets in the strings of a document, and keeps the rest byte for byte.
func (r *Redactor) JSON(document []byte) (_ []byte, found []Found) {
	if r.isOff() {
		return document, nil
	}
	changed, err := EachString(document, func(s string) (string, error) {
		s, in := r.Text(s)
		found = append(found, in...)
		return s, nil
	})
	if err != nil { // not JSON: as a text it has no secrets either
		text, in := r.Text(string(document))
		return []byte(text), in
	}
	return changed, found
}

// EachString applies change to all strings of a JSON document, including names of members.
func EachString(document []byte, change func(string) (string, error)) ([]byte, error) {
	var out bytes.Buffer
	at := 0 // everything before it is in out
	for i := 0; i < len(document); i++ {
		if document[i] != '"' {
			continue
		}
		end := endOfString(document, i)
		if end < 0 {
			return nil, fmt.Errorf("read JSON: the string at byte %d has no end", i)
		}
		was, err := decoded(document[i:end])
		if err != nil {
			return nil, fmt.Errorf("read JSON: the string at byte %d: %w", i, err)
		}
		is, err := change(was)
		if err != nil {
			return nil, err
		}
		if is != was {
			quoted, err := json.Marshal(is)
			if err != nil {
				return nil, fmt.Errorf("write JSON: %w", err)
			}
			out.Write(document[at:i])
			out.Write(quoted)
			at = end
		}
		i = end - 1
	}
	if at == 0 {
		return document, nil
	}
	out.Write(document[at:])
	return out.Bytes(), nil
}

// decoded decodes a string of a JSON document. Most need no decoding.
func decoded(quoted []byte) (s string, err error) {
	inner := quoted[1 : len(quoted)-1]
	if isPlain(inner) {
		return string(inner), nil
	}
	err = json.Unmarshal(quoted, &s)
	return s, err
}

// isPlain reports whether a JSON string has no escapes.
func isPlain(inner []byte) bool {
	for _, b := range inner {
		if b < ' ' || b == '\\' {
			return false
		}
	}
	return utf8.Valid(inner)
}

// endOfString returns the end of a string that begins at a quote; -1 if it has none.
func endOfString(document []byte, start int) int {
	for i := start + 1; i < len(document); i++ {
		switch document[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}
