package match

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"forge/patch"
)

// Cause is the likely reason why a hunk matches nowhere.
type Cause string

// The causes.
const (
	CauseStale     Cause = "the file's text differs from what the hunk expects: it changed since it was read, or was remembered wrongly"
	CauseTabs      Cause = "the indentation differs (tabs and spaces) and not by one uniform offset"
	CauseSpaces    Cause = "only spaces or tabs differ"
	CauseQuotes    Cause = "quotes, letter case or punctuation differ"
	CauseCRLF      Cause = "the hunk has carriage returns inside its lines"
	CauseBlank     Cause = "blank lines differ"
	CauseElided    Cause = "the hunk omits lines with \"...\"; write them all"
	CauseEndOfFile Cause = "the lines exist, but not at the end of the file: leave *** End of File out"
	CauseHeader    Cause = "a line named by a stacked @@ header is not in the file"
	CauseRest      Cause = "the file is to be deleted, but has more lines than the patch removes"
	CauseNoContext Cause = "the hunk only adds lines, and not at the end of the file; give it at least one context line"
)

// NoMatchError reports that a hunk matches nowhere, and shows the text that it nearly matches.
type NoMatchError struct {
	Path    string
	Hunk    int // from 1, in the order of the patch
	Cause   Cause
	Want    string   // the first line of the hunk that differs, or the header that is missing
	Line    int      // from 1, of the line in its place; 0 if there is none
	Start   int      // from 1, line number of Closest[0]
	Closest []string // the most similar block with three lines around it; empty if nothing is similar
	Search  string   // as in AmbiguousError
	Located *Located // the probable place; nil if unknown. It is not applied
}

// Bounds of the message: a model reads all of it to repair its patch.
const (
	messageRunes = 800
	shownRunes   = 100 // of one line
)

// Error names the file, the hunk, the cause and the closest lines, in at most 800 characters.
func (e *NoMatchError) Error() string {
	var b strings.Builder
	cause := string(e.Cause)
	if e.Search != "" {
		cause = strings.ReplaceAll(cause, "the hunk", "the search text")
	}
	fmt.Fprintf(&b, "%s: %s does not match. %s.", patch.Clip(e.Path, pathRunes), part(e.Hunk, e.Search), capital(cause))
	if e.Want != "" {
		fmt.Fprintf(&b, "\nWanted: %s", patch.Clip(e.Want, shownRunes))
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, "\nLine %d is the first that differs.", e.Line)
	}
	if len(e.Closest) > 0 {
		b.WriteString("\nClosest lines in the file:")
		b.WriteString(e.block(messageRunes - utf8.RuneCountInString(b.String())))
	}
	return b.String()
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// block prints the closest lines with their numbers, from the line that differs outwards, within room characters.
func (e *NoMatchError) block(room int) string {
	rows := make([]string, len(e.Closest))
	for i, line := range e.Closest {
		rows[i] = fmt.Sprintf("\n%5d | %s", e.Start+i, patch.Clip(line, shownRunes))
	}
	mid := min(max(e.Line-e.Start, 0), len(rows)-1)
	from, to := mid, mid
	for grown := true; grown; {
		grown = false
		for _, i := range []int{from - 1, to} {
			if i < 0 || i >= len(rows) || utf8.RuneCountInString(rows[i]) > room {
				continue
			}
			room -= utf8.RuneCountInString(rows[i])
			from, to, grown = min(from, i), max(to, i+1), true
		}
	}
	return strings.Join(rows[from:to], "")
}
