package secret

import (
	"bytes"
	"encoding/json"
	"fmt"
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
		var was string
		if err := json.Unmarshal(document[i:end], &was); err != nil {
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
