package treesitter

import "forge/codeintel"

const javaModifiers = "public private protected static final abstract synchronized native default transient volatile strictfp sealed non"

var javaTyped = typed{
	types: map[string]rule{
		"class": {codeintel.Class, holder}, "interface": {codeintel.Interface, holder}, "enum": {codeintel.Enum, members},
		"record": {codeintel.Class, holder},
	},
	modifiers: words(javaModifiers),
	control:   words("if for while switch catch synchronized return new super this throw assert"),
}

var javaBlocks = blockGrammar{
	lexis: lexis{
		lineComments: []string{"//"}, blockOpen: "/*", blockClose: "*/",
		strings: []delimiter{{open: `"""`, close: `"""`, lines: true}, {open: `"`, close: `"`}, {open: "'", close: "'"}}, wordMarks: "$",
	},
	starters: words("public private protected class interface enum import package"),
	declare:  declareJava,
}

func declareJava(b *blocks, head []token, opens bool) (body, int) {
	rest := b.past(b.strip(head), javaTyped.modifiers)
	if len(rest) > 1 && rest[0].kind == '-' { // the rest of "non-sealed"
		rest = b.past(rest[2:], javaTyped.modifiers)
	}
	if len(rest) == 0 {
		return opaque, -1
	}
	switch text := b.text(rest[0]); {
	case text == "package" && !opens:
		b.pkg = b.dotted(rest[1:])
		return opaque, -1
	case text == "import" && !opens:
		b.importing(rest, b.dotted(b.past(rest[1:], words("static"))))
		return opaque, -1
	case rest[0].kind == '@':
		rest = rest[1:] // @interface
	}
	return javaTyped.declare(b, head, rest, opens)
}

// declare reads what the C-like languages with classes have in common.
func (y typed) declare(b *blocks, head, rest []token, opens bool) (body, int) {
	if at, r, ok := y.typeName(b, rest); ok && at < len(rest) && rest[at].kind == word && (opens || b.is(rest[0], "record")) && len(rest) > 1 {
		return r.body, b.declared(r.kind, head, rest[at], b.join(rest[at+1:]))
	}
	if b.top().body == members {
		return b.member(head, nil)
	}
	if paren := y.callable(b, rest); paren > 0 {
		return opaque, y.function(b, rest, paren)
	}
	if !opens {
		y.values(b, rest, y.valueKind(b, head))
	}
	return opaque, -1
}

func (y typed) valueKind(b *blocks, head []token) codeintel.Kind {
	if b.find(head, "const") >= 0 || b.find(head, "final") >= 0 && b.find(head, "static") >= 0 {
		return codeintel.Constant
	}
	return codeintel.Variable
}
