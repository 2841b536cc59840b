package patch

import "strings"

// ByteOrderMark is U+FEFF, which some editors write at the beginning of a file.
const ByteOrderMark = "\ufeff"

// SplitLines splits a text after each "\n", "\r\n" and lone "\r". The joined lines are the text.
func SplitLines(text string) []string {
	lines := make([]string, 0, strings.Count(text, "\n")+1)
	for text != "" {
		n := lineLength(text)
		lines = append(lines, text[:n])
		text = text[n:]
	}
	return lines
}

// lineLength returns the length of the first line of a text in bytes, its end included.
func lineLength(text string) int {
	feed := strings.IndexByte(text, '\n')
	head := text
	if feed >= 0 {
		head = text[:feed]
	}
	switch cr := strings.IndexByte(head, '\r'); {
	case cr >= 0 && cr == feed-1:
		return feed + 1
	case cr >= 0:
		return cr + 1
	case feed >= 0:
		return feed + 1
	}
	return len(text)
}

// TrimEnd removes the one line end a line may have.
func TrimEnd(line string) string {
	if cut, ok := strings.CutSuffix(line, "\n"); ok {
		return strings.TrimSuffix(cut, "\r")
	}
	return strings.TrimSuffix(line, "\r")
}

// EndsLine reports whether a text ends with a line end.
func EndsLine(text string) bool {
	return strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\r")
}

// IsBlank reports whether a line is white space.
func IsBlank(line string) bool { return strings.TrimSpace(line) == "" }

// IsElision reports whether a line stands for omitted lines: dots alone or in a comment.
func IsElision(line string) bool {
	line = strings.TrimSpace(line)
	text := strings.TrimLeft(line, "/#-* ")
	if text == line {
		return text == "..." || text == "…"
	}
	return strings.HasPrefix(text, "...") || strings.HasPrefix(text, "…")
}

// IsFence recognises the first or last line of a code fence.
func IsFence(line string) bool {
	line = strings.TrimSpace(line)
	info := strings.TrimLeft(line, "`")
	if len(line)-len(info) < 3 {
		info = strings.TrimLeft(line, "~")
	}
	return len(line)-len(info) >= 3 && !strings.ContainsAny(info, "` \t")
}

// AppendLines adds lines of one kind.
func AppendLines(lines []Line, kind LineKind, texts []string) []Line {
	for _, text := range texts {
		lines = append(lines, Line{Kind: kind, Text: text})
	}
	return lines
}

// Clip shortens a text for a message to n characters.
func Clip(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	return string(runes[:n-1]) + "…"
}

// LineEnd returns the line end at the end of a text; empty if it has none.
func LineEnd(text string) string {
	for _, end := range []string{"\r\n", "\n", "\r"} {
		if strings.HasSuffix(text, end) {
			return end
		}
	}
	return ""
}
