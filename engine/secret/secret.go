// Package secret keeps secrets out of what leaves Forge, and of what Forge keeps: prompts, events, logs, databases.
//
// A secret is either known, from an environment variable, a key of Forge's or a file like .env, or it matches a rule
// of gitleaks. A mark with the name of its source, or of the rule, replaces it:
//
//	token = "[redacted: STRIPE_KEY]"
//
// Equal texts get equal marks, so that prompts stay the same from call to call. A match of a rule is known from then
// on, even in texts that are too short for the rule, such as one line of a private key in a diff.
//
//	r := secret.New()
//	r.LearnEnviron(os.Environ())
//	text, found := r.Text(prompt)
//
// Nothing here does I/O. The rules are data (rules.json), written from gitleaks' own by tests in tools/gitleaks, which also compare
// the results of both.
package secret

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"
	"sync"
)

// Redactor replaces secrets by marks. It is safe for concurrent use. A nil Redactor replaces nothing.
type Redactor struct {
	off bool

	mu    sync.RWMutex      // guards the fields below
	known map[string]string // names by values
	exact *needles          // forms of known values; replaced as a whole, never changed
	first func()            // learns values that are slow to find; nil for none

	patterns patternCache
}

// New returns a redactor that only knows patterns.
func New() *Redactor {
	return &Redactor{known: map[string]string{}, exact: newNeedles(nil)}
}

// Off returns a redactor that replaces nothing, for tests which prove that they detect unreplaced secrets.
func Off() *Redactor { return &Redactor{off: true} }

// LearnFirst sets a function that is called once, before the first text is checked: it learns values that are slow to find, such
// as keys in a keychain, and that are not needed unless texts are shown or stored. It must not show texts itself.
func (r *Redactor) LearnFirst(read func()) {
	if r.isOff() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.first = sync.OnceFunc(read)
}

// isOff reports whether nothing is replaced.
func (r *Redactor) isOff() bool { return r == nil || r.off }

// span is a secret part of a text.
type span struct {
	start, end int
	name       string
	value      string // the value of which it is a form; empty: as it is
}

// Text replaces the secrets in a text, and returns one Found for each place.
func (r *Redactor) Text(text string) (string, []Found) {
	return r.File("", text)
}

// File is Text for a file, whose path is relative to its root: some rules are for certain files, and some files only
// contain hashes, which are not secrets.
func (r *Redactor) File(path, text string) (string, []Found) {
	if r.isOff() || text == "" {
		return text, nil
	}
	spans := r.spans(path, text)
	if len(spans) == 0 {
		return text, nil
	}
	var found []Found
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.start])
		b.WriteString(Mark(s.name))
		at = s.end
		found = append(found, Found{cleanName(s.name), sha256.Sum256([]byte(cmp.Or(s.value, text[s.start:s.end])))})
	}
	b.WriteString(text[at:])
	return b.String(), found
}

// Plain is Text without the list of secrets.
func (r *Redactor) Plain(text string) string {
	text, _ = r.Text(text)
	return text
}

// Holds reports whether a text contains a secret.
func (r *Redactor) Holds(text string) bool { return !r.isOff() && len(r.spans("", text)) > 0 }

// spans finds the secrets of a text, in order and without overlaps. A new match of a rule is learned, and also searched in
// the rest of the text.
func (r *Redactor) spans(path, text string) []span {
	matched := joined(r.patterns.find(path, text))
	known := r.current().find(text)
	if r.learnMatched(text, slices.DeleteFunc(slices.Clone(matched), func(m span) bool { return within(m, known) })) {
		known = r.current().find(text)
	}
	return joined(append(known, matched...))
}

// current returns the needles of known values.
func (r *Redactor) current() *needles {
	r.mu.RLock()
	first := r.first
	r.mu.RUnlock()
	if first != nil {
		first()
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.exact
}

// within reports whether a span is a part of one of others, which are in order.
func within(s span, others []span) bool {
	return slices.ContainsFunc(others, func(o span) bool { return o.start <= s.start && s.end <= o.end })
}

// genericRule matches values assigned to names such as key or token.
const genericRule = "generic-api-key"

// generic is 1 for the least specific rule: any other name is better.
func generic(s span) int {
	if s.name == genericRule {
		return 1
	}
	return 0
}

// joined sorts spans and joins overlapping ones: a part of a secret is a secret, too.
func joined(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end), cmp.Compare(generic(a), generic(b)), cmp.Compare(a.name, b.name))
	})
	var apart []span
	for _, s := range spans {
		if n := len(apart); n > 0 && s.start < apart[n-1].end {
			apart[n-1].end = max(apart[n-1].end, s.end)
			continue
		}
		apart = append(apart, s)
	}
	return apart
}
