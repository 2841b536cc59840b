package secret

import (
	"strings"
	"sync"
)

// Blank masks the secrets in a text for a stored index of words and symbols: with the same length and the same lines, and
// stars in place of secrets. It handles many files, so it is less precise than Text: it tries the expensive rules
// only on lines with a run that may be a token or words, and treats random-looking text as a secret, even hashes.
func (r *Redactor) Blank(path string, content []byte) []byte {
	if r.isOff() {
		return content
	}
	text := string(content)
	jumbles, wordy := randomRuns(text)
	spans := append(r.current().find(text), jumbles...)
	for _, line := range windows(text, wordy, 0) { // one token in 700 reads as words
		if line.end-line.start > maxLine {
			continue
		}
		for _, s := range rules().match(path, text[line.start:line.end]) {
			spans = append(spans, span{start: line.start + s.start, end: line.start + s.end})
		}
	}
	if len(markers().find(text)) > 0 {
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

// maxLine is the length in bytes of the longest line that Blank tries the expensive rules on: minified files are one line.
const maxLine = 4096

// prefixes of tokens that need not look random: with parts, with few different letters, or like words in a row. Texts with one of them
// are checked by the quick rules; finding prefixes is much faster.
var prefixes = []string{
	"AKIA", "ASIA", "ABIA", "ACCA", "A3T", "AIza", "LTAI", "xox", "xapp", "hooks.slack.com", "sk_", "rk_", "sk-ant-", "npm_", "hf_", "api_org_",
	"ghp_", "gho_", "ghr_", "ghs_", "ghu_", "github_pat_", "glpat-", "gldt-", "glrt-", "glft-", "glffct-", "glimt-", "glcbt-", "glsoat-",
	"gloas-", "glagent-", "glptt-", "glc_", "glsa_", "sm_aat", "sm_pat", "sm_sat", "shpat_", "shpca_", "shppa_", "shpss_", "dop_v1_",
	"doo_v1_", "dor_v1_", "lin_api_", "rubygems_", "pscale_", "pul-", "pplx-", "sq0atp-", "ntn_", "PMAK-", "sntryu_", "hvb.",
}

var markers = sync.OnceValue(func() *needles {
	var all []needle
	for _, p := range prefixes {
		all = append(all, needle{text: p})
	}
	return newNeedles(all)
})

// randomRuns finds runs of letters and digits that are unlikely to be a name, and the places of those which could be words in a row.
// It reads few bytes of shorter runs, which are most of them.
func randomRuns(text string) (jumbles []span, wordy []int) {
	const shortest = 2 * minLearned
	for start := 0; start+shortest <= len(text); {
		end := start + shortest
		if before := runBefore(text, start, end); before > start {
			start = before // the text before it has no run that is long enough
			continue
		}
		for end < len(text) && alphanumeric[text[end]] {
			end++
		}
		if run := text[start:end]; (isDisorder(run) || isHash(run)) && !isCalled(text, start, end) {
			if isJumble(run) {
				jumbles = append(jumbles, span{start: start, end: end})
			} else {
				wordy = append(wordy, start)
			}
		}
		start = end + 1
	}
	return jumbles, wordy
}

// runBefore returns the beginning of the run that ends at end, but not before start.
func runBefore(text string, start, end int) int {
	for end > start && alphanumeric[text[end-1]] {
		end--
	}
	return end
}

// alphanumeric contains the ASCII letters and digits.
var alphanumeric = func() (all [256]bool) {
	for c := range all {
		all[c] = 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
	}
	return all
}()

// isJumble distinguishes random letters from words in a row, and recognizes hashes.
func isJumble(run string) bool { return isDisorder(run) && !isWords(run) || isHash(run) }

// isDisorder reports whether lower-case letters, capitals and digits are mixed without order. Words in identifiers have several
// letters. Other characters separate runs.
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

// isWords reports whether a run reads as a sequence of words, such as TestMaxInt64ForMemory: most of it is lower case, in groups of
// at least three on average. In random runs lower-case letters are single or in pairs.
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

// isCalled reports whether a run is the name of something in code: declared or called outside of quotes.
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

// letters are the ASCII letters and digits.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// declares contains the words before a declared name.
var declares = map[string]bool{
	"func": true, "def": true, "class": true, "function": true, "type": true, "interface": true, "struct": true, "enum": true,
	"trait": true, "fn": true, "const": true, "let": true, "var": true, "module": true, "namespace": true, "macro_rules!": true,
}

// isHash reports whether a run is a long hexadecimal number.
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

// The classes of letters and digits.
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
