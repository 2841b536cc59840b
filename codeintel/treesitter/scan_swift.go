package treesitter

import (
	"strings"

	"forge/codeintel"
)

var swiftKeywords = keywords{
	rules: map[string]rule{
		"func": {codeintel.Function, opaque}, "class": {codeintel.Class, holder}, "struct": {codeintel.Struct, holder},
		"actor": {codeintel.Class, holder}, "protocol": {codeintel.Interface, holder}, "enum": {codeintel.Enum, holder},
		"var": {codeintel.Variable, opaque}, "let": {codeintel.Constant, opaque}, "typealias": {codeintel.Type, opaque},
		"associatedtype": {codeintel.Type, opaque},
	},
	modifiers: words("public private fileprivate internal open package static final override mutating nonmutating lazy weak unowned indirect convenience required dynamic optional prefix postfix infix nonisolated isolated distributed async"),
}

var swiftBlocks = blockGrammar{
	lexis: lexis{
		lineComments: []string{"//"}, blockOpen: "/*", blockClose: "*/", nested: true, ticks: true, directives: true,
		strings: []delimiter{{open: `"""`, close: `"""`, lines: true}, {open: `"`, close: `"`}}, literal: swiftLiteral,
	},
	newlines: true,
	starters: swiftKeywords.starters("import init deinit extension case subscript"),
	declare:  declareSwift,
}

func declareSwift(b *blocks, head []token, _ bool) (body, int) {
	rest := b.past(b.strip(head), swiftKeywords.modifiers)
	if len(rest) == 0 {
		return opaque, -1
	}
	switch b.text(rest[0]) {
	case "import":
		b.importing(rest, b.firstLine(b.past(rest[1:], words("class struct enum protocol func typealias let var"))))
		return opaque, -1
	case "extension":
		return holder, -1
	case "init":
		return opaque, b.declared(codeintel.Constructor, head, rest[0], b.join(rest[1:]))
	case "case":
		for _, part := range b.split(rest[1:]) {
			if len(part) > 0 && part[0].kind == word && b.inType() {
				b.declared(codeintel.Member, head, part[0], b.detail(codeintel.Member, part[1:]))
			}
		}
		return opaque, -1
	}
	how, symbol, _ := swiftKeywords.declare(b, head)
	if symbol >= 0 && b.all[symbol].Kind == codeintel.Constant && b.inType() {
		b.all[symbol].Kind = codeintel.Field
	}
	return how, symbol
}

// swiftLiteral knows strings between "#", in which a backslash and a quote mean themselves.
func swiftLiteral(l *lexer) int {
	rest := l.source[l.at:]
	if !strings.HasPrefix(rest, `#"`) && !strings.HasPrefix(rest, `##`) {
		return l.at
	}
	marks := len(rest) - len(strings.TrimLeft(rest, "#"))
	if !strings.HasPrefix(rest[marks:], `"`) {
		return l.at
	}
	return stringEnd(l.source, l.at+marks+1, delimiter{close: `"` + rest[:marks], raw: true, lines: true})
}
