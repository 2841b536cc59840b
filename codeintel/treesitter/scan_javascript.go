package treesitter

import (
	"slices"
	"strings"

	"forge/codeintel"
)

var javaScriptKeywords = keywords{
	rules: map[string]rule{
		"function": {codeintel.Function, opaque}, "class": {codeintel.Class, holder}, "interface": {codeintel.Interface, holder},
		"enum": {codeintel.Enum, members}, "namespace": {codeintel.Module, holder}, "module": {codeintel.Module, holder},
		"type": {codeintel.Type, value},
	},
	modifiers: words("export default async declare abstract const"),
}

var javaScriptModifiers = words("export default async declare abstract public private protected static readonly override accessor get set")

var javaScriptBlocks = blockGrammar{
	lexis: lexis{
		lineComments: []string{"//"}, blockOpen: "/*", blockClose: "*/", wordMarks: "$#",
		strings: []delimiter{{open: `"`, close: `"`}, {open: "'", close: "'"}}, literal: javaScriptLiteral,
	},
	newlines: true,
	starters: words("function class interface enum namespace export import declare abstract"),
	goesOn:   javaScriptGoesOn,
	declare:  declareJavaScript,
}

var javaScriptInfix = words("instanceof in of as extends implements from satisfies is keyof")

// javaScriptGoesOn reports whether no semicolon belongs between two lines.
func javaScriptGoesOn(b *blocks, before, t token) bool {
	switch before.kind {
	case word, quoted, ')', ']', '}':
		return t.kind != word || javaScriptInfix[b.text(t)] || javaScriptInfix[b.text(before)] || javaScriptModifiers[b.text(before)]
	default:
		return true
	}
}

// declareJavaScript reads one declaration, or one statement between the declarations.
func declareJavaScript(b *blocks, head []token, opens bool) (body, int) {
	if !opens {
		b.javaScriptRequires(head)
	}
	rest := b.past(b.strip(head), words("export declare"))
	if len(rest) == 0 || b.is(rest[0], "*", "import") {
		b.javaScriptImport(head, opens)
		return value, -1
	}
	switch {
	case b.is(rest[0], "const", "let", "var") && !(len(rest) > 1 && b.is(rest[1], "enum")):
		if !opens {
			b.javaScriptValues(head, rest)
		}
		return value, -1
	case rest[0].kind == '{':
		b.javaScriptImport(head, opens)
		return value, -1
	case opens && rest[len(rest)-1].kind == ':':
		return value, -1 // a type that is written out
	case b.top().body == members:
		return b.member(head, nil)
	}
	if b.inType() {
		return b.javaScriptMember(head, opens)
	}
	return b.javaScriptOutside(head, rest, opens)
}

// javaScriptOutside declares what stands outside of classes and is no variable.
func (b *blocks) javaScriptOutside(head, rest []token, opens bool) (body, int) {
	if opens && b.is(rest[0], "namespace", "module") && len(rest) > 2 {
		return holder, b.javaScriptModule(head, rest)
	}
	if how, symbol, ok := javaScriptKeywords.declare(b, head); ok {
		return how, symbol
	}
	if opens && b.is(rest[0], "global", "module") {
		return holder, b.javaScriptModule(head, rest)
	}
	if !opens {
		b.javaScriptAssignment(rest)
	}
	return opaque, -1
}

// javaScriptModule declares "namespace a.b", "module 'a'" or "global".
func (b *blocks) javaScriptModule(head, rest []token) int {
	name := rest[0]
	if len(rest) > 1 {
		name = token{start: rest[1].start, end: rest[len(rest)-1].end, kind: word}
		if rest[1].kind == quoted && rest[1].end-rest[1].start > 2 {
			name = token{start: rest[1].start + 1, end: rest[1].end - 1, kind: word}
		}
	}
	return b.declared(codeintel.Module, head, name, "")
}

// javaScriptMember declares what a class or an interface holds.
func (b *blocks) javaScriptMember(head []token, opens bool) (body, int) {
	rest := b.javaScriptUnmodified(head)
	if len(rest) == 0 || rest[0].kind != word || len(rest) == 1 && opens {
		return opaque, -1
	}
	if behind := b.javaScriptNameEnd(rest); behind < len(rest) && rest[behind].kind == '(' {
		kind := codeintel.Method
		if b.is(rest[0], "constructor") {
			kind = codeintel.Constructor
		}
		return opaque, b.declared(kind, head, rest[0], b.join(rest[1:]))
	}
	if opens {
		return value, -1
	}
	return opaque, b.declared(codeintel.Field, head, rest[0], b.detail(codeintel.Field, rest[1:]))
}

// javaScriptUnmodified returns the head of a member without annotations, modifiers and the star of a generator. A
// modifier that nothing follows is a name.
func (b *blocks) javaScriptUnmodified(head []token) []token {
	rest := b.strip(head)
	for len(rest) > 1 && (rest[0].kind == '*' || javaScriptModifiers[b.text(rest[0])] && (rest[1].kind == word || rest[1].kind == '*')) {
		rest = b.strip(rest[1:])
	}
	return rest
}

// javaScriptNameEnd returns the index behind the name that a member starts with, its marks and its type parameters.
func (b *blocks) javaScriptNameEnd(rest []token) int {
	behind := 1
	for behind < len(rest) && (rest[behind].kind == '?' || rest[behind].kind == '!') {
		behind++
	}
	if behind < len(rest) && rest[behind].kind == '<' {
		behind += b.group(rest[behind:], 0)
	}
	return behind
}

// javaScriptValues declares what stands behind "const". A function that gets a name this way is one.
func (b *blocks) javaScriptValues(head, rest []token) {
	kind := codeintel.Variable
	if b.is(rest[0], "const") {
		kind = codeintel.Constant
	}
	for _, part := range b.split(rest[1:]) {
		if len(part) > 0 && (part[0].kind == '{' || part[0].kind == '[') {
			b.javaScriptPattern(kind, head, part)
			continue
		}
		if len(part) == 0 || part[0].kind != word {
			continue
		}
		assigned := b.find(part, "=")
		if assigned < 0 || !b.isFunction(part[assigned+1:]) {
			b.declared(kind, head, part[0], b.detail(kind, part[1:]))
			continue
		}
		b.declared(codeintel.Function, head, part[0], b.parameters(part[assigned+1:]))
	}
}

// javaScriptPattern declares the names in "{a, b: c = 1, ...d}": what a comma, a bracket or a default stands behind.
func (b *blocks) javaScriptPattern(kind codeintel.Kind, head, part []token) {
	end := b.group(part, 0)
	for i := 1; i+1 < end; i++ {
		name, next := part[i], part[i+1]
		if name.kind != word || b.source[name.start] >= '0' && b.source[name.start] <= '9' || part[i-1].kind == '=' {
			continue
		}
		switch next.kind {
		case ',', '}', ']', '=':
			b.declared(kind, head, name, "")
		}
	}
}

// isFunction reports whether an expression is a function.
func (b *blocks) isFunction(expression []token) bool {
	expression = b.past(expression, words("async"))
	if len(expression) == 0 {
		return false
	}
	if b.is(expression[0], "function") {
		return true
	}
	arrow := b.find(expression, "=>")
	return arrow > 0 && (expression[0].kind == '(' || expression[0].kind == '<' || arrow == 1)
}

// parameters returns what a function says before its body.
func (b *blocks) parameters(expression []token) string {
	for i, t := range expression {
		if b.is(t, "=>") || t.kind == '{' && i > 0 && expression[i-1].kind == ')' {
			return b.join(expression[:i])
		}
	}
	return ""
}

// javaScriptAssignment declares the function of "a.b = function" under its last name, and what a file exports.
func (b *blocks) javaScriptAssignment(head []token) {
	at := b.find(head, "=")
	if at < 3 || head[at-1].kind != word || head[at-2].kind != '.' {
		return
	}
	exports := b.is(head[at-3], "exports") && (at == 3 || at == 5)
	switch {
	case b.isFunction(head[at+1:]) && exports:
		b.declared(codeintel.Function, head, head[at-1], b.parameters(head[at+1:]))
		return
	case exports:
		b.declared(codeintel.Variable, head, head[at-1], "")
		return
	case !b.isFunction(head[at+1:]):
		return
	}
	symbol := b.declared(codeintel.Method, head, head[at-1], b.parameters(head[at+1:]))
	b.all[symbol].Receiver = b.dotted(head[:at-2])
}

// javaScriptImport reads "import … from" and "export … from".
func (b *blocks) javaScriptImport(head []token, opens bool) {
	at := slices.IndexFunc(head, func(t token) bool { return t.kind == quoted })
	if opens || at < 1 || !b.is(head[at-1], "from", "import") {
		return
	}
	var names []string
	if open := slices.IndexFunc(head, func(t token) bool { return t.kind == '{' }); open >= 0 {
		for _, part := range b.split(head[open+1 : open+max(1, b.group(head[open:], 0)-1)]) {
			if part = b.past(part, words("type")); len(part) > 0 {
				names = append(names, b.text(part[0]))
			}
		}
	}
	b.importing(head, bare(b.text(head[at])), names...)
}

// javaScriptRequires reads the calls of require in a statement.
func (b *blocks) javaScriptRequires(head []token) {
	for i := 0; i+2 < len(head); i++ {
		if head[i].kind == word && b.is(head[i], "require") && head[i+1].kind == '(' && head[i+2].kind == quoted {
			b.importing(head[i:i+3], bare(b.text(head[i+2])))
		}
	}
}

// javaScriptLiteral knows templates, and regular expressions among divisions.
func javaScriptLiteral(l *lexer) int {
	switch l.source[l.at] {
	case '`':
		return templateEnd(l.source, l.at+1)
	case '/':
		if len(l.tokens) > 0 && l.endsValue(l.tokens[len(l.tokens)-1]) {
			return l.at
		}
		return l.expressionEnd()
	}
	return l.at
}

var javaScriptPrefix = words("return typeof case in of delete void throw new else do")

func (l *lexer) endsValue(t token) bool {
	switch t.kind {
	case word:
		return !javaScriptPrefix[l.source[t.start:t.end]]
	case quoted, ')', ']', '}':
		return true
	default:
		return false
	}
}

// expressionEnd returns the end of the regular expression at l.at, or l.at if its line holds no end.
func (l *lexer) expressionEnd() int {
	class := false
	for at := l.at + 1; at < len(l.source); at++ {
		switch l.source[at] {
		case '\n':
			return l.at
		case '\\':
			at++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				return at + 1
			}
		}
	}
	return l.at
}

// templateEnd returns the end of a template, in whose "${…}" other templates may stand.
func templateEnd(source string, at int) int {
	open := []byte{'`'} // what is open: a template, or a brace within one
	for ; at < len(source) && len(open) > 0; at++ {
		switch c, top := source[at], open[len(open)-1]; {
		case c == '`' && top == '`', c == '}' && top == '{':
			open = open[:len(open)-1]
		case top == '`' && c == '\\':
			at++
		case top == '`' && c == '$' && strings.HasPrefix(source[at:], "${"):
			open = append(open, '{')
			at++
		case top == '{' && (c == '`' || c == '{'):
			open = append(open, c)
		}
	}
	return min(at, len(source))
}
