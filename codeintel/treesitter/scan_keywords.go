package treesitter

import (
	"slices"
	"strings"

	"forge/codeintel"
)

// rule says what a keyword declares, and how its braces are read.
type rule struct {
	kind codeintel.Kind
	body body
}

// keywords is what a language declares with a keyword in front of the name.
type keywords struct {
	rules     map[string]rule
	modifiers map[string]bool // words that may stand before the keyword
}

func words(text string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(text) {
		all[w] = true
	}
	return all
}

// starters returns all words that may stand first in a declaration.
func (k keywords) starters(more string) map[string]bool {
	all := words(more)
	for w := range k.rules {
		all[w] = true
	}
	for w := range k.modifiers {
		all[w] = true
	}
	return all
}

// find returns the index of the keyword that makes a declaration out of a head, past modifiers; -1 if none does.
// Of several keywords in a row, as in "const fn", the last one counts.
func (k keywords) find(b *blocks, head []token) int {
	for i := 0; i < len(head); i++ {
		t := head[i]
		_, is := k.rules[b.text(t)]
		switch {
		case is && (i+1 == len(head) || !k.more(b, head[i+1:])):
			return i
		case is, t.kind == quoted, t.kind == word && k.modifiers[b.text(t)]:
		case t.kind == '(' || t.kind == '[':
			i = b.group(head, i) - 1
		case t.kind == '@':
			behind := len(head) - len(b.strip(head[i:]))
			if behind == i {
				return -1 // an annotation without a name
			}
			i = behind - 1
		default:
			return -1
		}
	}
	return -1
}

// more reports whether a keyword is only a modifier of what follows it.
func (k keywords) more(b *blocks, rest []token) bool {
	_, is := k.rules[b.text(rest[0])]
	return is && len(rest) > 1 && (rest[1].kind == word || b.is(rest[1], "*", "<")) || k.modifiers[b.text(rest[0])] && k.find(b, rest) >= 0
}

// declare reads a declaration by its keyword: the name is the first word behind it.
func (k keywords) declare(b *blocks, head []token) (body, int, bool) {
	stripped := b.strip(head)
	at := k.find(b, stripped)
	if at < 0 || at+1 >= len(stripped) {
		return opaque, -1, false
	}
	r := k.rules[b.text(stripped[at])]
	name := slices.IndexFunc(stripped[at+1:], func(t token) bool { return t.kind == word })
	if name != 0 && !(name == 1 && b.is(stripped[at+1], "*", "!", "&")) {
		return r.body, -1, false
	}
	name += at + 1
	if name+1 < len(stripped) && k.modifiers[b.text(stripped[name])] && stripped[name+1].kind == word {
		name++ // "static mut name"
	}
	return r.body, b.declared(r.kind, head, stripped[name], b.detail(r.kind, stripped[name+1:])), true
}

// detail is what a declaration says behind its name: all of it, or for a value its type.
func (b *blocks) detail(kind codeintel.Kind, rest []token) string {
	if end := b.find(rest, "=", "=>"); end >= 0 && kind != codeintel.Type {
		rest = rest[:end]
	}
	switch kind {
	case codeintel.Constant, codeintel.Variable, codeintel.Field, codeintel.Type:
		if len(rest) > 0 && (b.is(rest[0], ":", "=")) {
			rest = rest[1:]
		}
	}
	return b.join(rest)
}

// member reads what stands between two commas: the field of a struct, or a name of an enum.
func (b *blocks) member(head []token, modifiers map[string]bool) (body, int) {
	rest := b.past(b.strip(head), modifiers)
	if len(rest) == 0 || rest[0].kind != word {
		return opaque, -1
	}
	kind := codeintel.Field
	if symbol := b.top().symbol; symbol >= 0 && b.all[symbol].Kind == codeintel.Enum {
		kind = codeintel.Member
	}
	return opaque, b.declared(kind, head, rest[0], b.detail(kind, rest[1:]))
}

// past returns a head without the modifiers it starts with, such as "pub(crate)".
func (b *blocks) past(head []token, modifiers map[string]bool) []token {
	for len(head) > 0 && head[0].kind == word && modifiers[b.text(head[0])] {
		head = head[1:]
		if len(head) > 0 && head[0].kind == '(' {
			head = head[b.group(head, 0):]
		}
		head = b.strip(head)
	}
	return head
}
