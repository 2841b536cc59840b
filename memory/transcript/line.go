package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// LineLimit is the longest line in bytes, with its end.
const LineLimit = 4096

// chunk is how many bytes the text of a record takes in one of several lines, as a JSON string; the rest of the
// line is for the other fields.
const chunk = LineLimit - 100

// part is a line that holds a piece of a record, as text.
type part struct {
	ID   string `json:"part"` // of the record, drawn by its writer
	N    int    `json:"n"`    // from 1
	Of   int    `json:"of"`
	Text string `json:"text"`
}

// encode gives the lines of a record, each with its end. The id is used when there are several.
func encode(r Record, id string) ([][]byte, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	whole, err := marshal(r)
	if err != nil {
		return nil, err
	}
	if len(whole) <= LineLimit {
		return [][]byte{whole}, nil
	}
	pieces := cut(strings.TrimSuffix(string(whole), "\n"))
	var lines [][]byte
	for i, piece := range pieces {
		text, err := marshal(part{ID: id, N: i + 1, Of: len(pieces), Text: piece})
		if err != nil {
			return nil, err
		}
		lines = append(lines, text)
	}
	return lines, nil
}

// marshal gives a value as a line.
func marshal(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return b.Bytes(), err
}

// cut cuts a text into pieces of at most chunk bytes as JSON strings, never inside a character.
func cut(text string) []string {
	var pieces []string
	from, size := 0, 0
	for at, r := range text {
		if size+escaped(r) > chunk {
			pieces = append(pieces, text[from:at])
			from, size = at, 0
		}
		size += escaped(r)
	}
	return append(pieces, text[from:])
}

// escaped is how many bytes a character takes in a JSON string, at most.
func escaped(r rune) int {
	switch {
	case r < ' ' || r == utf8.RuneError || r == '\u2028' || r == '\u2029':
		return 6
	case r == '"' || r == '\\':
		return 2
	}
	return utf8.RuneLen(r)
}

// decode reads a line without its end: a whole record, or a part of one.
func decode(text []byte) (*Record, *part, error) {
	var both struct {
		Record
		part
	}
	if err := json.Unmarshal(text, &both); err != nil {
		return nil, nil, errors.New("it is not JSON")
	}
	if both.ID == "" {
		return &both.Record, nil, both.Record.check()
	}
	p := both.part
	if p.N < 1 || p.Of < p.N || p.Of > maxParts {
		return nil, nil, fmt.Errorf("it is part %d of %d", p.N, p.Of)
	}
	return nil, &p, nil
}

// maxParts bounds the parts of a record: 64 MiB or so of text.
const maxParts = 100_000
