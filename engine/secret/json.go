package secret

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// JSON replaces the secrets in the strings of a document, and leaves the rest as it is, to the byte.
func (r *Redactor) JSON(document []byte) (_ []byte, found []Found) {
	if r.isOff() {
		return document, nil
	}
	changed, err := EachString(document, func(s string) (string, error) {
		s, in := r.Text(s)
		found = append(found, in...)
		return s, nil
	})
	if err != nil { // it is no JSON: as a text it has no secrets either
		text, in := r.Text(string(document))
		return []byte(text), in
	}
	return changed, found
}

// EachString gives a document of JSON with the strings that change makes of those in it, names of members too.
func EachString(document []byte, change func(string) (string, error)) ([]byte, error) {
	var out bytes.Buffer
	at := 0 // what is before is in out
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

// decoded is the string that stands in a document of JSON. Most have nothing in them that would have to be decoded.
func decoded(quoted []byte) (s string, err error) {
	inner := quoted[1 : len(quoted)-1]
	if isPlain(inner) {
		return string(inner), nil
	}
	err = json.Unmarshal(quoted, &s)
	return s, err
}

// isPlain reports whether a string of JSON stands for itself.
func isPlain(inner []byte) bool {
	for _, b := range inner {
		if b < ' ' || b == '\\' {
			return false
		}
	}
	return utf8.Valid(inner)
}

// endOfString is where a string that begins at a quote has ended; -1 if it does not.
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
