package treesitter

import "forge/codeintel"

var scalaKeywords = keywords{
	rules: map[string]rule{
		"def": {codeintel.Function, opaque}, "class": {codeintel.Class, holder}, "object": {codeintel.Class, holder},
		"trait": {codeintel.Interface, holder}, "enum": {codeintel.Enum, holder}, "val": {codeintel.Variable, opaque},
		"var": {codeintel.Variable, opaque}, "type": {codeintel.Type, opaque},
	},
	modifiers: words("private protected final sealed abstract override implicit lazy case inline opaque open transparent infix erased given"),
}

var scalaBlocks = blockGrammar{
	lexis: lexis{
		lineComments: []string{"//"}, blockOpen: "/*", blockClose: "*/", nested: true, ticks: true,
		strings: []delimiter{{open: `"""`, close: `"""`, raw: true, lines: true}, {open: `"`, close: `"`}}, literal: scalaLiteral,
	},
	newlines: true,
	starters: scalaKeywords.starters("import package extension end"),
	declare:  declareScala,
}

func declareScala(b *blocks, head []token, opens bool) (body, int) {
	rest := b.past(b.strip(head), scalaKeywords.modifiers)
	if len(rest) == 0 {
		return opaque, -1
	}
	switch b.text(rest[0]) {
	case "package":
		if len(rest) > 1 && !b.is(rest[1], "object") {
			b.pkg = b.firstLine(rest[1:])
			return holder, -1
		}
		rest = rest[1:]
		head = rest
	case "import":
		if !opens {
			b.importTree(rest, ".")
		}
		return value, -1
	case "extension":
		return holder, -1
	}
	if b.find(head, "case") >= 0 && scalaKeywords.find(b, b.strip(head)) < 0 {
		b.scalaCases(head)
		return opaque, -1
	}
	how, symbol, _ := scalaKeywords.declare(b, head)
	return how, symbol
}

// scalaCases declares the cases of an enum.
func (b *blocks) scalaCases(head []token) {
	at := b.find(head, "case")
	for _, part := range b.split(head[at+1:]) {
		if len(part) > 0 && part[0].kind == word && b.inType() {
			b.declared(codeintel.Member, head, part[0], b.detail(codeintel.Member, part[1:]))
		}
	}
}

// scalaLiteral knows characters among symbols.
func scalaLiteral(l *lexer) int {
	rest := l.source[l.at:]
	if rest[0] != '\'' {
		return l.at
	}
	return l.at + rustQuote(rest)
}
