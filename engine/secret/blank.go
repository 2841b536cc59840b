package secret

import (
	"slices"
	"strings"
)

// Blank gives a text without its secrets for an index of words and symbols, which is kept: of the same length, with the
// same lines, and with stars where secrets were. It is for any number of files and so does not look as closely as Text: it
// leaves the rules out that cost most, and takes for a secret what looks random instead, hashes too.
func (r *Redactor) Blank(path string, content []byte) []byte {
	if r.isOff() {
		return content
	}
	text := string(content)
	spans := append(r.current().find(text), randomRuns(text)...)
	if hasMarker(text) {
		spans = append(spans, rules().quick(path, text)...)
	}
	if len(spans) == 0 {
		return content
	}
	blank := []byte(text)
	for _, s := range spans {
		for i := s.start; i < s.end; i++ {
			if blank[i] != '\n' && blank[i] != '\r' {
				blank[i] = '*'
			}
		}
	}
	return blank
}

// markers are in tokens that do not look random enough: in parts, or with few different letters. Rules look at texts that have
// one of them; it is found at many times their speed.
var markers = []string{"AKIA", "ASIA", "ABIA", "ACCA", "A3T", "xox", "sk_", "rk_", "hooks.slack.com"}

func hasMarker(text string) bool {
	return slices.ContainsFunc(markers, func(m string) bool { return strings.Contains(text, m) })
}

// randomRuns finds runs of letters and figures that nobody would give a name to something. Of shorter runs, which are most, few
// bytes are looked at.
func randomRuns(text string) (found []span) {
	const shortest = 2 * minLearned
	for start := 0; start+shortest <= len(text); {
		end := start + shortest
		if before := runBefore(text, start, end); before > start {
			start = before // what stands before it is in no run that is long enough
			continue
		}
		for end < len(text) && alphanumeric[text[end]] {
			end++
		}
		if isJumble(text[start:end]) && !isCalled(text, start, end) {
			found = append(found, span{start: start, end: end})
		}
		start = end + 1
	}
	return found
}

// runBefore is where the run begins that ends at end, but not before start.
func runBefore(text string, start, end int) int {
	for end > start && alphanumeric[text[end-1]] {
		end--
	}
	return end
}

// alphanumeric has the letters and figures of ASCII.
var alphanumeric = func() (all [256]bool) {
	for c := range all {
		all[c] = 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
	}
	return all
}()

// isJumble tells random letters from words in a row, and knows hashes.
func isJumble(run string) bool { return isDisorder(run) && !isWords(run) || isHash(run) }

// isDisorder reports whether small letters, capital ones and figures follow each other without order. In the names of a program
// a word has several letters. Other characters stand between runs.
func isDisorder(text string) bool {
	changes, figures, letters := 0, 0, 0
	for i := range len(text) {
		switch {
		case !alphanumeric[text[i]]:
			continue
		case classOf(text[i]) == figure:
			figures++
		default:
			letters++
		}
		if i > 0 && alphanumeric[text[i-1]] && classOf(text[i]) != classOf(text[i-1]) {
			changes++
		}
	}
	return figures > 1 && letters > 0 && 100*changes >= 33*(figures+letters)
}

// isWords reports whether a run reads as words that follow each other, as TestMaxInt64ForMemory does: most of it is small letters, and those stand
// together in threes and more on average. In a run of random letters and figures they stand alone or in pairs.
func isWords(run string) bool {
	const together, share = 3, 66
	length, groups := 0, 0
	for i := range len(run) {
		if classOf(run[i]) != small {
			continue
		}
		length++
		if i == 0 || classOf(run[i-1]) != small {
			groups++
		}
	}
	return length >= together*groups && 100*length >= share*len(run)
}

// isCalled reports whether a run is the name of something in code: it is declared or called there, outside of quotes.
func isCalled(text string, start, end int) bool {
	line := text[lineStart(text, start):start]
	for _, quote := range []string{`"`, "'", "`"} {
		if strings.Contains(line, quote) {
			return false
		}
	}
	if end < len(text) && text[end] == '(' {
		return true
	}
	before := strings.TrimRight(line, "_"+letters)
	words := strings.Fields(before)
	return len(words) > 0 && strings.HasSuffix(before, " ") && declares[words[len(words)-1]]
}

// letters are those and the figures of ASCII.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// declares has the words before a name that is declared.
var declares = map[string]bool{
	"func": true, "def": true, "class": true, "function": true, "type": true, "interface": true, "struct": true, "enum": true,
	"trait": true, "fn": true, "const": true, "let": true, "var": true, "module": true, "namespace": true, "macro_rules!": true,
}

// isHash reports whether a run is a long number in hexadecimal.
func isHash(run string) bool {
	figures := 0
	for i := range len(run) {
		switch c := run[i]; {
		case classOf(c) == figure:
			figures++
		case c|0x20 < 'a' || c|0x20 > 'f':
			return false
		}
	}
	return figures > 1 && figures < len(run) && len(run) >= 4*minLearned
}

// The classes of letters and figures.
const (
	figure = iota
	capital
	small
)

func classOf(c byte) int {
	switch {
	case c <= '9':
		return figure
	case c <= 'Z':
		return capital
	}
	return small
}
