package testrun

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"forge/engine/gate"
	"forge/engine/gate/tool"
)

// InBytes turns the columns of findings from units of UTF-16, which is how everything in JavaScript counts, into bytes. Where the
// line cannot be read, the column stays what the tool said.
func InBytes(sources *tool.Sources, findings []gate.Finding) {
	texts := map[string][]string{}
	for i, f := range findings {
		if f.Path == "" || f.Line == 0 || f.Column <= 1 {
			continue
		}
		lines, known := texts[f.Path]
		if !known {
			lines = strings.Split(string(sources.Read(f.Path)), "\n")
			texts[f.Path] = lines
		}
		if f.Line <= len(lines) {
			findings[i].Column = bytesOf(lines[f.Line-1], f.Column)
		}
	}
}

// bytesOf is the column in bytes, from 1, of one in units of UTF-16, from 1. A column behind the end of the line stays behind it.
func bytesOf(line string, column int) int {
	units, at := 1, 0
	for at < len(line) && units < column {
		r, size := utf8.DecodeRuneInString(line[at:])
		units += max(1, utf16.RuneLen(r))
		at += size
	}
	return at + 1 + max(0, column-units)
}
