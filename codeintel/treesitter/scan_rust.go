package treesitter

import (
	"strings"
	"unicode/utf8"

	"forge/codeintel"
)

var rustKeywords = keywords{
	rules: map[string]rule{
		"fn": {codeintel.Function, opaque}, "struct": {codeintel.Struct, members}, "union": {codeintel.Struct, members},
		"enum": {codeintel.Enum, members}, "trait": {codeintel.Interface, holder}, "mod": {codeintel.Module, holder},
		"type": {codeintel.Type, opaque}, "const": {codeintel.Constant, opaque}, "static": {codeintel.Variable, opaque},
		"macro_rules": {codeintel.Macro, opaque}, "macro": {codeintel.Macro, opaque},
	},
	modifiers: words("pub async unsafe extern default crate mut auto"),
}

var rustVisibility = words("pub")

var rustBlocks = blockGrammar{
	lexis: lexis{
		lineComments: []string{"//"}, blockOpen: "/*", blockClose: "*/", nested: true,
		strings: []delimiter{{open: `"`, close: `"`, lines: true}}, literal: rustLiteral,
	},
	starters: words("fn struct enum trait mod impl pub use"),
	declare:  declareRust,
}

func declareRust(b *blocks, head []token, opens bool) (body, int) {
	rest := b.strip(head)
	if b.top().body == members {
		return b.member(head, rustVisibility)
	}
	switch rest := b.past(rest, rustVisibility); {
	case len(rest) == 0:
	case b.is(rest[0], "use"):
		if !opens {
			b.importTree(rest, "::")
		}
		return value, -1
	case b.is(rest[0], "impl"), len(rest) > 1 && b.is(rest[0], "unsafe", "default") && b.is(rest[1], "impl"):
		return holder, -1
	case b.is(rest[0], "extern") && len(rest) <= 2 && opens:
		return holder, -1
	case len(rest) > 2 && b.is(rest[0], "extern") && b.is(rest[1], "crate"):
		b.importing(rest, b.text(rest[2]))
		return opaque, -1
	}
	how, symbol, _ := rustKeywords.declare(b, head)
	return how, symbol
}

// rustLiteral knows raw strings, and characters among lifetimes.
func rustLiteral(l *lexer) int {
	rest := l.source[l.at:]
	switch {
	case rest[0] == '\'':
		return l.at + rustQuote(rest)
	case strings.HasPrefix(rest, "r\"") || strings.HasPrefix(rest, "r#") || strings.HasPrefix(rest, "br\"") || strings.HasPrefix(rest, "br#"):
		marks := strings.TrimPrefix(strings.TrimPrefix(rest, "b"), "r")
		count := len(marks) - len(strings.TrimLeft(marks, "#"))
		if !strings.HasPrefix(marks[count:], `"`) {
			return l.at
		}
		from := l.at + len(rest) - len(marks) + count + 1
		return stringEnd(l.source, from, delimiter{close: `"` + strings.Repeat("#", count), raw: true, lines: true})
	}
	return l.at
}

// rustQuote returns the length of a character, or of a lifetime.
func rustQuote(rest string) int {
	if len(rest) > 1 && rest[1] == '\\' {
		return stringEnd(rest, 1, delimiter{close: "'"})
	}
	if _, size := utf8.DecodeRuneInString(rest[1:]); strings.HasPrefix(rest[1+size:], "'") {
		return size + 2
	}
	return 1
}
