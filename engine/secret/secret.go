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
// Nothing here does I/O. The rules are data (rules.json), written from gitleaks' own by tests in tools/gitleaks, which also compare
// what both find.
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
	first func()            // makes known what is slow to find out; nil: there is nothing

	patterns patternCache
}

// New returns a redactor that knows no secrets yet, but their patterns.
func New() *Redactor {
	return &Redactor{known: map[string]string{}, exact: newNeedles(nil)}
}

// Off returns a redactor that replaces nothing: for tests, which prove with it that they would find what was not replaced.
func Off() *Redactor { return &Redactor{off: true} }

// LearnFirst has read called once, before a text is looked at: it makes known what takes long to find out, such as the keys in a
// keychain, and what nobody needs to know who shows and keeps nothing. It must not show texts itself.
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

// span is a part of a text that is a secret.
type span struct {
	start, end int
	name       string
	value      string // that stands there in some form; empty: as it is
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
		found = append(found, Found{cleanName(s.name), sha256.Sum256([]byte(cmp.Or(s.value, text[s.start:s.end])))})
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

// spans finds the secrets of a text, in order and apart from each other. What a rule finds and nobody knew is learned, and
// looked for in the rest of the text, too.
func (r *Redactor) spans(path, text string) []span {
	matched := joined(r.patterns.find(path, text))
	known := r.current().find(text)
	if r.learnMatched(text, slices.DeleteFunc(slices.Clone(matched), func(m span) bool { return within(m, known) })) {
		known = r.current().find(text)
	}
	return joined(append(known, matched...))
}

// current is what is known now.
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

// genericRule finds what is given to a name such as key or token.
const genericRule = "generic-api-key"

// generic is 1 for the rule that says least of a secret: any other names it better.
func generic(s span) int {
	if s.name == genericRule {
		return 1
	}
	return 0
}

// joined sorts spans and makes one of those that overlap: a part of a secret is one, too.
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
