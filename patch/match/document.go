package match

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"forge/patch"
)

// document is a text split into lines, with everything needed to join it again byte for byte.
type document struct {
	bom    string
	body   string   // the text without the byte order mark
	lines  []string // without their ends
	ends   []string // "\n", "\r\n" or "\r" for each line; "" only for a last line without an end
	eol    string   // the most frequent line end, used for added lines
	final  bool     // the last line has an end; true for an empty text
	starts []int    // offsets of lines in body; computed on first use
}

func newDocument(text string) *document {
	d := &document{final: true}
	if rest, ok := strings.CutPrefix(text, patch.ByteOrderMark); ok {
		d.bom, text = patch.ByteOrderMark, rest
	}
	d.body = text
	whole := patch.SplitLines(text)
	d.lines, d.ends = make([]string, len(whole)), make([]string, len(whole))
	for i, line := range whole {
		d.lines[i] = patch.TrimEnd(line)
		d.ends[i] = line[len(d.lines[i]):]
	}
	if n := len(d.ends); n > 0 {
		d.final = d.ends[n-1] != ""
	}
	d.eol = commonEnd(d.ends)
	return d
}

// commonEnd returns the most frequent line end; of equally frequent ones the first.
func commonEnd(ends []string) string {
	best, most := "\n", 0
	for _, end := range []string{"\n", "\r\n", "\r"} {
		n, first := 0, slices.Index(ends, end)
		for _, e := range ends {
			if e == end {
				n++
			}
		}
		if n > most || n > 0 && n == most && first < slices.Index(ends, best) {
			best, most = end, n
		}
	}
	return best
}

// text joins lines and ends, with the document's byte order mark and final line end.
func (d *document) text(lines, ends []string) string {
	var b strings.Builder
	b.Grow(textSize(lines) + len(d.bom) + len("\r\n")*len(lines))
	b.WriteString(d.bom)
	for i, line := range lines {
		b.WriteString(line)
		switch last := i == len(lines)-1; {
		case last && !d.final:
		case ends[i] == "":
			b.WriteString(d.eol)
		default:
			b.WriteString(ends[i])
		}
	}
	return b.String()
}

func textSize(lines []string) int {
	n := 0
	for _, line := range lines {
		n += len(line)
	}
	return n
}

// checkText rejects what cannot be edited as text.
func checkText(path, text string) error {
	if i := strings.IndexByte(text, 0); i >= 0 {
		return &TextError{Path: path, Cause: fmt.Sprintf("there is a NUL byte at offset %d", i)}
	}
	if !utf8.ValidString(text) {
		return &TextError{Path: path, Cause: "its bytes are not valid UTF-8"}
	}
	return nil
}
