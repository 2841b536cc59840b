// Package secret keeps secrets out of what leaves Forge, and of what Forge keeps: prompts, events, logs, databases.
//
// A secret is either known, because an environment variable, a key of Forge's or a file like .env has it, or it looks
// like one to a rule of gitleaks. In its place stands a mark that names where it comes from, or the rule:
//
//	token = "[redacted: STRIPE_KEY]"
//
// The same text gives the same marks, so that prompts stay the same from call to call. What a rule finds is known from
// then on, also where too little of it stands for the rule: a line of a private key in a diff, say.
//
//	r := secret.New()
//	r.LearnEnviron(os.Environ())
//	text, found := r.Text(prompt)
//
// Nothing here does I/O. The rules are data (rules.json), written from gitleaks' own by a test that also compares what
// both find.
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

	mu    sync.RWMutex      // guards what follows
	known map[string]string // names by values
	exact *needles          // of known, in every form; replaced whole, never changed

	patterns patternCache
}

// New returns a redactor that knows no secrets yet, but their patterns.
func New() *Redactor {
	return &Redactor{known: map[string]string{}, exact: newNeedles(nil)}
}

// Off returns a redactor that replaces nothing: for tests, which prove with it that they would find what was not replaced.
func Off() *Redactor { return &Redactor{off: true} }

// isOff reports whether nothing is replaced.
func (r *Redactor) isOff() bool { return r == nil || r.off }

// span is a part of a text that is a secret.
type span struct {
	start, end int
	name       string
}

// Text replaces the secrets in a text, and tells which there were, one for each place.
func (r *Redactor) Text(text string) (string, []Found) {
	return r.File("", text)
}

// File is Text of a file, whose path is relative to its root: some rules are for files of a kind only, and some files
// have nothing but hashes, which are no secrets.
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
		found = append(found, Found{cleanName(s.name), sha256.Sum256([]byte(text[s.start:s.end]))})
	}
	b.WriteString(text[at:])
	return b.String(), found
}

// Plain is Text for whoever does not ask what was found.
func (r *Redactor) Plain(text string) string {
	text, _ = r.Text(text)
	return text
}

// Holds reports whether there is a secret in a text.
func (r *Redactor) Holds(text string) bool { return !r.isOff() && len(r.spans("", text)) > 0 }

// spans finds the secrets of a text, in order and apart from each other. What a rule finds is learned, and looked for in
// the rest of the text, too.
func (r *Redactor) spans(path, text string) []span {
	matched := r.patterns.find(path, text)
	r.learnMatched(text, matched)
	r.mu.RLock()
	exact := r.exact
	r.mu.RUnlock()
	return joined(append(exact.find(text), matched...))
}

// joined sorts spans and makes one of those that overlap: a part of a secret is one, too.
func joined(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end), cmp.Compare(a.name, b.name))
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
