package treesitter

import (
	"strings"

	"forge/codeintel"
)

var csharpTyped = typed{
	types: map[string]rule{
		"class": {codeintel.Class, holder}, "interface": {codeintel.Interface, holder}, "struct": {codeintel.Struct, holder},
		"enum": {codeintel.Enum, members}, "record": {codeintel.Class, holder}, "namespace": {codeintel.Module, holder},
	},
	modifiers: words("public private protected internal static sealed abstract partial readonly virtual override async unsafe extern new volatile const required file ref fixed implicit explicit"),
	control:   words("if for foreach while switch catch lock using return nameof typeof base this fixed when"),
}

var csharpBlocks = blockGrammar{
	lexis: lexis{
		lineComments: []string{"//"}, blockOpen: "/*", blockClose: "*/",
		strings: []delimiter{{open: `"""`, close: `"""`, raw: true, lines: true}, {open: `"`, close: `"`}, {open: "'", close: "'"}},
		literal: csharpLiteral, directives: true,
	},
	starters: words("public private protected internal class interface enum namespace"),
	declare:  declareCSharp,
}

// declareCSharp reads one declaration, or one statement between the declarations.
func declareCSharp(b *blocks, head []token, opens bool) (body, int) {
	all := b.strip(head)
	rest := b.past(all, csharpTyped.modifiers)
	if len(rest) == 0 {
		return opaque, -1
	}
	switch text := b.text(rest[0]); {
	case (text == "using" || text == "global") && !opens:
		b.csharpUsing(rest)
		return opaque, -1
	case text == "namespace" && len(rest) > 1:
		return b.namespace(head, rest, opens)
	case b.find(rest, "this") >= 0 && b.inType() && csharpTyped.callable(b, rest) < 0:
		return opaque, -1 // an indexer has no name
	case text == "delegate" || text == "event":
		rest = rest[1:]
	}
	return b.csharpRest(head, all, rest, opens)
}

// csharpRest declares what stands behind the words that a declaration may begin with, if anything does.
func (b *blocks) csharpRest(head, all, rest []token, opens bool) (body, int) {
	switch {
	case len(rest) == 0:
		return opaque, -1
	case !opens && b.find(all, "delegate") >= 0:
		b.csharpDelegate(head, rest)
		return opaque, -1
	}
	return b.csharpTypical(all, rest, opens)
}

// csharpDelegate declares the type of a function.
func (b *blocks) csharpDelegate(head, rest []token) {
	if paren := csharpTyped.callable(b, rest); paren > 0 {
		b.declared(codeintel.Type, head, rest[paren-1], b.join(rest[paren:]))
	}
}

// csharpTypical declares what other languages have too, and properties.
func (b *blocks) csharpTypical(all, rest []token, opens bool) (body, int) {
	how, symbol := csharpTyped.declare(b, all, rest, opens)
	if opens && symbol < 0 && how == opaque && rest[len(rest)-1].kind == word {
		csharpTyped.values(b, rest, codeintel.Field) // a property with its accessors
	}
	return how, symbol
}

func (b *blocks) csharpUsing(rest []token) {
	rest = b.past(rest, words("global using static"))
	if alias := b.find(rest, "="); alias >= 0 {
		rest = rest[alias+1:]
	}
	b.importing(rest, b.dotted(rest))
}

// namespace reads "namespace A.B": its name is all of it.
func (b *blocks) namespace(head, rest []token, opens bool) (body, int) {
	name := token{start: rest[1].start, end: rest[len(rest)-1].end, kind: word}
	if b.pkg == "" {
		b.pkg = b.dotted(rest[1:])
	}
	if !opens {
		return opaque, -1
	}
	return holder, b.declared(codeintel.Module, head, name, "")
}

// csharpLiteral knows verbatim and interpolated strings.
func csharpLiteral(l *lexer) int {
	rest := l.source[l.at:]
	marks := strings.TrimLeft(rest[:min(3, len(rest))], "$@")
	prefix := rest[:min(3, len(rest))-len(marks)]
	if prefix == "" || !strings.HasPrefix(rest[len(prefix):], `"`) {
		return l.at
	}
	from := l.at + len(prefix) + 1
	if strings.HasPrefix(rest[len(prefix):], `"""`) && !strings.Contains(prefix, "@") {
		return stringEnd(l.source, from+2, delimiter{close: `"""`, raw: true, lines: true})
	}
	if !strings.Contains(prefix, "@") {
		return stringEnd(l.source, from, delimiter{close: `"`})
	}
	return doubledEnd(l.source, from, '"')
}

// doubledEnd returns the end of a string in which its quote is written twice.
func doubledEnd(source string, from int, quote byte) int {
	for at := from; at < len(source); at++ {
		if source[at] != quote {
			continue
		}
		if at+1 < len(source) && source[at+1] == quote {
			at++
			continue
		}
		return at + 1
	}
	return len(source)
}
