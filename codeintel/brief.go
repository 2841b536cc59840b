package codeintel

import "strings"

// maxDetail bounds Symbol.Detail and Symbol.Doc, in bytes.
const maxDetail = 120

// Brief returns a text on one line, cut off where it gets too long for a list: see Symbol.Detail.
func Brief(text string) string {
	if len(text) > 16*maxDetail {
		text = text[:16*maxDetail] // enough, whatever space is in it
	}
	line := strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "")
	if len(line) <= maxDetail {
		return line
	}
	return strings.ToValidUTF8(line[:maxDetail], "") + "…"
}

// DocLine returns the first line with text of a comment, without the marks of any language: see Symbol.Doc.
func DocLine(comment string) string {
	for line := range strings.Lines(comment) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "<!--")
		line = strings.TrimLeft(line, "/*#!-;%\"'~=+ \t\r")
		for _, end := range []string{"*/", "-->", `"""`, "'''", "#}"} {
			line = strings.TrimSuffix(strings.TrimSpace(line), end)
		}
		line = strings.TrimSuffix(strings.TrimPrefix(line, "<summary>"), "</summary>") // of C#
		if line = Brief(line); strings.Trim(line, "*/-=_~#<> ") != "" {
			return line
		}
	}
	return ""
}
