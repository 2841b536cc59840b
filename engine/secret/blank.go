package secret

// Blank gives a text without its secrets for an index of words and symbols, which is kept: of the same length, with the
// same lines, and with stars where secrets were. It is for any number of files and so does not look as closely as Text: it
// leaves the rules out that cost most, and takes for a secret what looks random instead, hashes too.
func (r *Redactor) Blank(path string, content []byte) []byte {
	if r.isOff() {
		return content
	}
	text := string(content)
	spans := append(r.current().find(text), rules().quick(path, text)...)
	spans = append(spans, randomRuns(text)...)
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
		if isJumble(text[start:end]) {
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

// isJumble tells random letters from words in a row: small letters, capital ones and figures follow each other without
// order. In the names of a program a word has several letters. Hashes are jumbles, too.
func isJumble(run string) bool {
	changes, figures, hex := 0, 0, true
	for i := range len(run) {
		class := classOf(run[i])
		if class == figure {
			figures++
		}
		if i > 0 && class != classOf(run[i-1]) {
			changes++
		}
		hex = hex && (class == figure || 'a' <= run[i]|0x20 && run[i]|0x20 <= 'f')
	}
	return figures > 1 && figures < len(run) && (100*changes >= 33*len(run) || hex && len(run) >= 4*minLearned)
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
