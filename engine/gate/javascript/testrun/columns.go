package testrun

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"forge/engine/gate"
	"forge/engine/gate/tool"
)

// InBytes converts the columns of findings from units of UTF-16, as JavaScript counts, to bytes. If the line cannot be read, the
// column stays as it is.
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

// bytesOf converts a column in units of UTF-16, from 1, to bytes, from 1. A column beyond the end of the line stays beyond it.
func bytesOf(line string, column int) int {
	units, at := 1, 0
	for at < len(line) && units < column {
		r, size := utf8.DecodeRuneInString(line[at:])
		units += max(1, utf16.RuneLen(r))
		at += size
	}
	return at + 1 + max(0, column-units)
}
