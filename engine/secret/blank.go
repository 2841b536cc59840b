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

// randomRuns finds runs of letters and figures that nobody would give a name to something.
func randomRuns(text string) (found []span) {
	start := 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && isAlphanumeric(text[i]) {
			continue
		}
		if i-start >= 2*minLearned && isJumble(text[start:i]) {
			found = append(found, span{start: start, end: i})
		}
		start = i + 1
	}
	return found
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

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
