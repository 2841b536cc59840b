package patch

// AdoptStyle gives a new text for a whole file the byte form of the file's text before: its byte order
// mark, its line ends (the most frequent one) and whether its last line has an end. A model that writes
// a whole file means its lines, not its bytes.
func AdoptStyle(before, text string) string {
	if before == "" {
		return text
	}
	old, next := newDocument(before), newDocument(text)
	if len(next.lines) == 0 {
		return text
	}
	style := document{bom: old.bom, eol: old.eol, final: old.final}
	return style.text(next.lines, make([]string, len(next.lines)))
}
