package dialogue

import (
	"fmt"
	"strings"

	"forge/patch"
)

// Numbered returns the lines of a text from first to last, from 1 and inclusive, with their numbers; a last of 0 is
// the end. Models name lines reliably only if they see the numbers.
func Numbered(text string, first, last int) string {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(text) {
		if n++; n < first || last > 0 && n > last {
			continue
		}
		fmt.Fprintf(&b, "%5d | %s\n", n, strings.TrimRight(line, "\r\n"))
	}
	return b.String()
}

// numberedDiff returns a change as a unified diff in which each remaining line has its number.
func numberedDiff(c patch.ChangeSet, context int) string {
	var b strings.Builder
	for _, f := range c.Files {
		next := 0
		for line := range strings.Lines(patch.Unified(f, context)) {
			line = strings.TrimRight(line, "\r\n")
			if start, is := hunkStart(line); is {
				next = start
				continue
			}
			switch {
			case next == 0: // the head of the file
				b.WriteString(line + "\n")
			case strings.HasPrefix(line, "-"):
				fmt.Fprintf(&b, "      -| %s\n", line[1:])
			case strings.HasPrefix(line, "+"):
				fmt.Fprintf(&b, "%5d +| %s\n", next, line[1:])
				next++
			case strings.HasPrefix(line, " "):
				fmt.Fprintf(&b, "%5d  | %s\n", next, line[1:])
				next++
			}
		}
	}
	return b.String()
}

// hunkStart parses the beginning of a hunk in the new file: "@@ -1,2 +3,4 @@".
func hunkStart(line string) (start int, is bool) {
	if !strings.HasPrefix(line, "@@ -") {
		return 0, false
	}
	_, after, found := strings.Cut(line, " +")
	if !found {
		return 0, false
	}
	if _, err := fmt.Sscanf(after, "%d", &start); err != nil {
		return 0, false
	}
	return max(start, 1), true
}
