package search

import (
	"strings"
	"unicode"

	"forge/codeintel"
	"forge/internal/lazyregexp"
)

// request is the parsed text of a query.
type request struct {
	terms       []term   // in the order in which they first occur
	identifiers []string // as written, each once: what looks like code or a name, and every other word
	paths       []string // what looks like the path or the name of a file
	scope       []string // the words before the colon of "fix(scope): ..." and "scope: ..."
}

// term is a word of the request.
type term struct {
	word   string
	weight float64
}

const (
	bodyWeight  = 0.4  // of a word that is below the first line only
	verbWeight  = 0.25 // of a word for an action, not for its object
	pairWeight  = 0.7  // of two neighbouring words written as one, as names are
	mostWeight  = 1.5  // of a word that is repeated
	repeatShare = 0.5  // of its weight that a repetition adds
)

// doing are the words that requests have because they are requests, by their stem.
var doing = stems("fix fixes fixed add adds added adding support supports supported update updates updated change changes changed remove removes " +
	"removed removing make makes making allow allows allowed improve improves improved improvement refactor feat feature chore bug issue new use " +
	"uses using used ensure handle handles handling correct correctly properly implement implements wrong better instead introduce avoid prevent " +
	"clean cleanup simplify minor small missing see closes close when like just don want need should")

func stems(words string) map[string]bool {
	all := map[string]bool{}
	for word := range codeintel.Words(words) {
		all[word] = true
	}
	return all
}

func parseRequest(text string) request {
	var r request
	subject, body, _ := strings.Cut(strings.TrimSpace(text), "\n")
	b := termBuilder{at: map[string]int{}}
	b.add(subject, 1)
	b.add(body, bodyWeight)
	r.terms = b.terms
	r.scope = scopeWords(subject)
	r.paths = pathPattern.FindAllString(text, -1)
	seen := map[string]bool{}
	for name := range codeintel.Identifiers(text) {
		if !seen[name] && len(name) > 1 {
			seen[name] = true
			r.identifiers = append(r.identifiers, name)
		}
	}
	return r
}

// pathPattern finds what has a folder or an ending.
var pathPattern = lazyregexp.New(`[\w@.-]+(?:/[\w@.-]+)+|\w[\w-]*(?:\.\w+)*\.[A-Za-z]\w{0,4}\b`)

// scopePattern is the head of a conventional commit, or of one that begins with a package.
var scopePattern = lazyregexp.New(`^\s*(?:\w+\(([^)]{1,60})\)!?|([\w./@, -]{1,40})):\s`)

func scopeWords(subject string) []string {
	m := scopePattern.FindStringSubmatch(subject)
	if m == nil {
		return nil
	}
	var words []string
	for _, part := range strings.FieldsFunc(m[1]+m[2], func(r rune) bool { return strings.ContainsRune("/,. ", r) }) {
		word := compact(part)
		if len(word) > 1 && !doing[codeintel.Stem(word)] {
			words = append(words, word)
		}
	}
	return words
}

// compact writes a name in small letters and digits alone, so that "custom-element" is "customElement".
func compact(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

type termBuilder struct {
	terms []term
	at    map[string]int
}

func (b *termBuilder) add(text string, weight float64) {
	previous, end := "", 0
	for name, at := range identifiersAt(text) {
		for _, word := range codeintel.WordsOf(name) {
			b.addWord(word, weight)
		}
		if previous != "" && at == end+1 && (text[end] == '-' || text[end] == ' ') && len(previous)+len(name) > 3 {
			b.addWord(codeintel.Stem(compact(previous+name)), weight*pairWeight)
		}
		previous, end = name, at+len(name)
	}
}

func identifiersAt(text string) func(func(string, int) bool) {
	return func(yield func(string, int) bool) {
		from := 0
		for name := range codeintel.Identifiers(text) {
			at := from + strings.Index(text[from:], name)
			if !yield(name, at) {
				return
			}
			from = at + len(name)
		}
	}
}

func (b *termBuilder) addWord(word string, weight float64) {
	if doing[word] {
		weight *= verbWeight
	}
	if at, again := b.at[word]; again {
		b.terms[at].weight = min(mostWeight, b.terms[at].weight+weight*repeatShare)
		return
	}
	b.at[word] = len(b.terms)
	b.terms = append(b.terms, term{word, weight})
}
