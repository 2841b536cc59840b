package treesitter

import (
	"strings"

	"forge/codeintel"
)

var kotlinKeywords = keywords{
	rules: map[string]rule{
		"fun": {codeintel.Function, opaque}, "class": {codeintel.Class, holder}, "interface": {codeintel.Interface, holder},
		"object": {codeintel.Class, holder}, "val": {codeintel.Variable, opaque}, "var": {codeintel.Variable, opaque},
		"typealias": {codeintel.Type, opaque},
	},
	modifiers: words("public private protected internal open abstract final sealed data inner enum annotation companion override lateinit const suspend inline noinline crossinline tailrec operator infix external expect actual value vararg reified"),
}

var kotlinBlocks = blockGrammar{
	lexis: lexis{
		lineComments: []string{"//"}, blockOpen: "/*", blockClose: "*/", nested: true, ticks: true,
		strings: []delimiter{{open: `"""`, close: `"""`, raw: true, lines: true}, {open: `"`, close: `"`}, {open: "'", close: "'"}},
	},
	newlines: true,
	starters: kotlinKeywords.starters("import package init constructor get set"),
	declare:  declareKotlin,
}

// declareKotlin reads one declaration, or one statement between the declarations.
func declareKotlin(b *blocks, head []token, opens bool) (body, int) {
	rest := b.past(b.strip(head), kotlinKeywords.modifiers)
	if len(rest) == 0 {
		if b.find(head, "companion") >= 0 {
			return holder, -1
		}
		return opaque, -1
	}
	switch text := b.text(rest[0]); text {
	case "package":
		b.pkg = b.firstLine(rest[1:])
		return opaque, -1
	case "import":
		b.importing(rest, b.firstLine(rest[1:]))
		return opaque, -1
	case "fun", "val", "var":
		return opaque, b.kotlinNamed(head, rest, kotlinKeywords.rules[text].kind)
	case "object":
		if len(rest) == 1 || rest[1].kind != word {
			return holder, -1 // companion
		}
	case "constructor":
		return opaque, b.declared(codeintel.Constructor, head, rest[0], b.detail(codeintel.Constructor, rest[1:]))
	}
	if b.top().body == members && !kotlinKeywords.modifiers[b.text(head[0])] && kotlinKeywords.find(b, b.strip(head)) < 0 {
		return b.member(head, nil)
	}
	return b.kotlinType(head, rest)
}

// kotlinType declares a type, with what its constructor makes fields of.
func (b *blocks) kotlinType(head, rest []token) (body, int) {
	how, symbol, ok := kotlinKeywords.declare(b, head)
	if !ok {
		return opaque, -1
	}
	if b.is(rest[0], "class") {
		if b.find(head, "enum") >= 0 {
			how, b.all[symbol].Kind = members, codeintel.Enum
		}
		b.kotlinParameters(rest, symbol)
	}
	return how, symbol
}

// kotlinNamed declares "fun <T> Type<T>.name(…)": what stands before the last point is its receiver.
func (b *blocks) kotlinNamed(head, rest []token, kind codeintel.Kind) int {
	from, name := b.kotlinName(rest)
	if name < 0 {
		return -1
	}
	symbol := b.declared(kind, head, rest[name], b.detail(kind, rest[name+1:]))
	s := &b.all[symbol]
	if name-from > 1 {
		s.Receiver = strings.TrimRight(b.dotted(rest[from:name]), ".?")
		if kind == codeintel.Function {
			s.Kind = codeintel.Method
		}
	}
	if b.find(head, "const") >= 0 {
		s.Kind = codeintel.Constant
	}
	return symbol
}

// kotlinName returns the index behind the keyword and its type parameters, and that of the name, -1 if there is none.
func (b *blocks) kotlinName(rest []token) (from, name int) {
	at := 1
	if at < len(rest) && rest[at].kind == '<' {
		at += b.group(rest[at:], 0)
	}
	from, name = at, -1
	for ; at < len(rest); at++ {
		switch t := rest[at]; {
		case t.kind == word && (name < at-1 || name < 0):
			name = at
		case t.kind == '<' && name >= 0:
			at += b.group(rest[at:], 0) - 1
		case t.kind == '.' || t.kind == '?' || b.is(t, "?."):
		default:
			return from, name
		}
	}
	return from, name
}

// kotlinParameters declares the properties among the parameters of a class.
func (b *blocks) kotlinParameters(rest []token, class int) {
	open := b.find(rest, "(")
	if open < 0 {
		return
	}
	end := open + b.group(rest[open:], 0)
	for _, part := range b.split(rest[open+1 : max(open+1, end-1)]) {
		part = b.past(b.strip(part), kotlinKeywords.modifiers)
		if len(part) < 2 || !b.is(part[0], "val", "var") || part[1].kind != word {
			continue
		}
		symbol := b.declared(codeintel.Field, part, part[1], b.detail(codeintel.Field, part[2:]))
		b.all[symbol].parent, b.all[symbol].Doc = class, ""
	}
}

// firstLine joins the tokens up to the end of their line.
func (b *blocks) firstLine(tokens []token) string {
	for i, t := range tokens {
		if t.first() {
			tokens = tokens[:i]
			break
		}
	}
	return b.dotted(tokens)
}
