package treesitter

import (
	"slices"
	"strings"

	"forge/codeintel"
)

// typed is a language that writes a type in front of a name: C and those that look like it.
type typed struct {
	types     map[string]rule // keywords in front of the name of a type
	modifiers map[string]bool // words that are no part of the type of what they stand before
	control   map[string]bool // words before parentheses that are no name of a function
	attribute map[string]bool // words whose parentheses say nothing
}

// typeName returns the index of the name in a head that declares a type, and its rule.
func (y typed) typeName(b *blocks, head []token) (int, rule, bool) {
	for i, t := range head {
		if t.kind != word || !y.modifiers[b.text(t)] {
			if r, ok := y.types[b.text(t)]; ok && t.kind == word {
				at := i + 1
				if at < len(head) && y.types[b.text(head[at])] != (rule{}) { // enum class, record struct
					if r.kind != codeintel.Enum {
						r = y.types[b.text(head[at])]
					}
					at++
				}
				return at, r, true
			}
			return 0, rule{}, false
		}
	}
	return 0, rule{}, false
}

// callable returns the index of the parenthesis behind the name of a function, or -1. The name of a macro, in capitals,
// counts if there is no other.
func (y typed) callable(b *blocks, head []token) int {
	first := -1
	for i := 0; i < len(head); i++ {
		switch {
		case b.endsSignature(head, i):
			return first
		case b.opensSkipped(head, i):
			i += b.group(head[i:], 0) - 1
		case head[i].kind == '(':
			end := i + b.group(head[i:], 0)
			if b.afterOperator(head, i) && end < len(head) && head[end].kind == '(' {
				return end // operator()(…)
			}
			if i > 0 && !y.noName(b, head, i) {
				if !allCaps(b.text(head[y.nameBefore(head, i)])) {
					return i
				}
				if first < 0 {
					first = i
				}
			}
			i = end - 1
		}
	}
	return first
}

// endsSignature reports whether no parameters follow the token at i: it is in front of a value, bases or a result.
func (b *blocks) endsSignature(head []token, i int) bool {
	t := head[i]
	return b.is(t, "=") && !b.afterOperator(head, i) || t.kind == ':' && i > 0 || b.is(t, "->")
}

// opensSkipped reports whether the token at i opens the brackets of an array or of type arguments.
func (b *blocks) opensSkipped(head []token, i int) bool {
	if i == 0 || b.afterOperator(head, i) {
		return false
	}
	return head[i].kind == '[' || head[i].kind == '<' && head[i-1].kind == word
}

// afterOperator reports whether the token at i is part of the name of an operator.
func (b *blocks) afterOperator(head []token, i int) bool {
	return i > 0 && b.is(head[i-1], "operator")
}

// allCaps reports whether a name is written as those of macros are.
func allCaps(name string) bool {
	return strings.ToUpper(name) == name && strings.ToLower(name) != name && len(name) > 1
}

// nameBefore returns the index of the name before a parenthesis, past type arguments.
func (y typed) nameBefore(head []token, paren int) int {
	at := paren - 1
	if head[at].kind != '>' {
		return at
	}
	for depth := 0; at > 0; at-- {
		switch head[at].kind {
		case '>':
			depth++
		case '<':
			if depth--; depth == 0 {
				return at - 1
			}
		}
	}
	return at
}

// noName reports whether what stands before index i cannot be the name of a function.
func (y typed) noName(b *blocks, head []token, i int) bool {
	at := y.nameBefore(head, i)
	if at < 0 {
		return true
	}
	if at > 0 && b.is(head[at-1], "operator") || at > 1 && b.is(head[at-2], "operator") || b.is(head[at], "operator") {
		return false
	}
	return head[at].kind != word || y.attribute[b.text(head[at])] || at > 0 && head[at-1].kind == '@'
}

// function declares a function whose parameters start at a parenthesis, unless the head is something else.
func (y typed) function(b *blocks, head []token, paren int) int {
	at := y.nameBefore(head, paren)
	if at < 0 {
		return -1
	}
	front := slices.DeleteFunc(slices.Clone(head[:at]), func(t token) bool { return y.modifiers[b.text(t)] })
	if y.control[b.text(head[at])] {
		return -1
	}
	name, end := head[at], paren+b.group(head[paren:], 0)
	if len(front) == 0 {
		if !b.constructs(name) {
			return -1
		}
		return b.declared(codeintel.Constructor, head, name, b.join(head[paren:end]))
	}
	return b.declared(codeintel.Function, head, name, b.header(front[0], head[:end]))
}

// constructs reports whether a name is that of the type that is being declared.
func (b *blocks) constructs(name token) bool {
	return b.inType() && b.all[b.top().symbol].Name == b.text(name)
}

// values declares the variables of a head "type a = 1, b[2]".
func (y typed) values(b *blocks, head []token, kind codeintel.Kind) {
	parts := b.split(head)
	first := y.declarator(b, parts[0])
	front := slices.DeleteFunc(slices.Clone(parts[0][:max(0, first)]), func(t token) bool { return y.modifiers[b.text(t)] })
	if first < 1 || len(front) == 0 || b.mark != ';' && b.mark != '{' {
		return // nothing, or only words: no end was found
	}
	detail := b.join(front)
	b.declared(kind, head, parts[0][first], detail)
	for _, part := range parts[1:] {
		if at := y.declarator(b, part); at >= 0 && b.find(part[:at], "=") < 0 {
			b.declared(kind, head, part[at], detail)
		}
	}
}

// declarator returns the index of the name in "type name[2] = 3", or -1.
func (y typed) declarator(b *blocks, part []token) int {
	end := len(part)
	for i, t := range part {
		if b.is(t, "=", ":", "=>", "[", "{") && i > 0 && !(t.kind == '[' && i+1 < len(part) && y.arrayType(b, part, i)) {
			end = i
			break
		}
	}
	if end > 0 && part[end-1].kind == word && !y.modifiers[b.text(part[end-1])] {
		return end - 1
	}
	return -1
}

// arrayType reports whether the bracket at i belongs to a type: a name follows it.
func (y typed) arrayType(b *blocks, part []token, i int) bool {
	end := i + b.group(part[i:], 0)
	for end < len(part) && part[end].kind == '[' {
		end += b.group(part[end:], 0)
	}
	return end < len(part) && part[end].kind == word
}

// header returns a head from one of its tokens on.
func (b *blocks) header(from token, head []token) string {
	return b.join(head[slices.Index(head, from):])
}
