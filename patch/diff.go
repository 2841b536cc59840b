package patch

import (
	"fmt"
	"strings"
)

// Diff returns the edits from before to after: ordered by position, not overlapping and not touching, each of whole lines of before, as
// few lines as possible. Line ends are part of a line, so the result is exact to the byte; lines end with "\n", "\r\n" or a lone "\r".
func Diff(before, after string) []Edit {
	if before == after {
		return nil
	}
	a, b := SplitLines(before), SplitLines(after)
	aAt, bAt := offsets(a), offsets(b)
	chunks := compare(a, b)
	edits := make([]Edit, len(chunks))
	for i, c := range chunks {
		edits[i] = Edit{Start: aAt[c.aFrom], End: aAt[c.aTo], New: after[bAt[c.bFrom]:bAt[c.bTo]]}
	}
	return edits
}

// offsets returns the byte offset of each line, and the offset after the last line.
func offsets(lines []string) []int {
	at := make([]int, len(lines)+1)
	for i, line := range lines {
		at[i+1] = at[i] + len(line)
	}
	return at
}

// Apply returns the text after the edits. They must be ordered, not overlap and be inside the text; insertions at one place are applied
// in order.
func Apply(text string, edits []Edit) (string, error) {
	var b strings.Builder
	at := 0
	for i, e := range edits {
		switch {
		case e.Start > e.End || e.Start < 0 || e.End > len(text):
			return "", fmt.Errorf("edit %d is outside the text: bytes %d to %d of %d", i+1, e.Start, e.End, len(text))
		case e.Start < at:
			return "", fmt.Errorf("edit %d begins at byte %d, before the end of the edit in front of it at %d", i+1, e.Start, at)
		}
		b.WriteString(text[at:e.Start])
		b.WriteString(e.New)
		at = e.End
	}
	b.WriteString(text[at:])
	return b.String(), nil
}
