package treesitter

import (
	"strings"

	"forge/codeintel"
	"forge/internal/lazyregexp"
)

var cTyped = typed{
	types: map[string]rule{
		"struct": {codeintel.Struct, holder}, "union": {codeintel.Struct, holder}, "enum": {codeintel.Enum, members},
		"class": {codeintel.Class, holder},
	},
	modifiers: words("static extern inline const volatile register typedef virtual explicit constexpr consteval constinit friend mutable thread_local restrict __inline __inline__ __extension__ _Noreturn export"),
	control:   words("if for while switch catch return sizeof defined alignof decltype static_assert _Static_assert do else"),
	attribute: words("__attribute__ __declspec alignas _Alignas noexcept throw decltype __asm__ asm"),
}

// ctyped of C, where "class" is a name like any other.
var plainCTyped = typed{
	types: map[string]rule{
		"struct": cTyped.types["struct"], "union": cTyped.types["union"], "enum": cTyped.types["enum"],
	},
	modifiers: words("static extern inline const volatile register typedef restrict __inline __inline__ __extension__ _Noreturn noreturn"),
	control:   cTyped.control, attribute: cTyped.attribute,
}

var cLexis = lexis{
	lineComments: []string{"//"}, blockOpen: "/*", blockClose: "*/",
	strings:    []delimiter{{open: `"`, close: `"`}, {open: "'", close: "'"}},
	literal:    cLiteral,
	directives: true,
}

var cBlocks = blockGrammar{
	lexis: cLexis, starters: words("static typedef"), tail: cTail, line: cDirective,
	declare: func(b *blocks, head []token, opens bool) (body, int) { return declareC(b, head, opens, plainCTyped) },
}

var cppBlocks = blockGrammar{
	lexis: cLexis, starters: words("static typedef class namespace template"), tail: cTail, line: cDirective,
	declare: func(b *blocks, head []token, opens bool) (body, int) { return declareC(b, head, opens, cTyped) },
}

var accessLabels = words("public private protected signals slots Q_SIGNALS Q_SLOTS")

func declareC(b *blocks, head []token, opens bool, y typed) (body, int) {
	rest := b.withoutTemplate(b.withoutMacros(b.withoutLabel(b.withoutMacros(b.strip(head)))))
	if len(rest) == 0 {
		return opaque, -1
	}
	switch {
	case len(rest) > 1 && b.is(rest[0], "extern") && rest[1].kind == quoted:
		if len(rest) == 2 {
			return holder, -1
		}
		rest = rest[2:]
	case b.is(rest[0], "namespace"), len(rest) > 1 && b.is(rest[1], "namespace"):
		return b.cNamespace(rest, opens)
	case b.is(rest[0], "using"):
		b.cUsing(rest)
		return opaque, -1
	case b.top().body == members:
		return b.member(head, nil)
	}
	return y.declareC(b, rest, opens)
}

// declareC reads a declaration in C behind everything that may stand in front of it.
func (y typed) declareC(b *blocks, rest []token, opens bool) (body, int) {
	plain := b.past(rest, y.modifiers)
	paren := y.callable(b, plain)
	if at, r, ok := y.typeName(b, plain); ok && opens && (paren < 0 || allCaps(b.text(plain[paren-1]))) {
		return r.body, y.cType(b, rest, plain[at:], r)
	}
	switch {
	case b.is(rest[0], "typedef") && !opens:
		y.typedef(b, rest)
	case !opens && pointsToFunction(plain, paren):
		y.cValues(b, rest)
	case paren > 0:
		return y.cCallable(b, rest, plain, paren, opens)
	case opens && len(plain) > 1 && plain[len(plain)-1].kind == word:
		return value, -1 // int x{1};
	case !opens && !b.is(rest[0], "extern", "friend", "return", "goto"):
		y.cValues(b, rest)
	}
	return opaque, -1
}

// cCallable reads a head with a name in front of a parenthesis, which may be the use of a macro.
func (y typed) cCallable(b *blocks, head, plain []token, paren int, opens bool) (body, int) {
	switch {
	case opens && y.initialises(b, plain, paren):
		return value, -1
	case opens || !allCaps(b.text(plain[paren-1])) || paren > 1:
		return opaque, y.cFunction(b, head, plain, paren)
	}
	return opaque, -1
}

// cType declares the type whose name is the last word before its bases. It may have none, or get one behind it.
func (y typed) cType(b *blocks, head, rest []token, r rule) int {
	rest = b.withoutGroups(rest)
	name := -1
	for i, t := range rest {
		if t.kind == ':' || t.kind == '<' || b.is(t, "final") && name >= 0 {
			break
		}
		if t.kind == word {
			name = i
		}
	}
	if name >= 0 {
		return b.declared(r.kind, head, rest[name], b.join(rest[name+1:]))
	}
	symbol := b.declared(r.kind, head, head[0], "")
	b.all[symbol].Name = ""
	return symbol
}

// withoutGroups leaves parentheses and what stands before them out: "__attribute__((packed))", "alignas(8)".
func (b *blocks) withoutGroups(head []token) []token {
	var rest []token
	for i := 0; i < len(head); i++ {
		if head[i].kind != '(' {
			rest = append(rest, head[i])
			continue
		}
		rest = rest[:max(0, len(rest)-1)]
		i += b.group(head[i:], 0) - 1
	}
	return rest
}

// initialises reports whether the brace behind a head is not the body of a constructor yet: "A() : b{".
func (y typed) initialises(b *blocks, head []token, paren int) bool {
	behind := head[paren+b.group(head[paren:], 0):]
	return b.find(behind, ":") >= 0 && head[len(head)-1].kind == word
}

// cFunction declares a function, whose name may say which type it belongs to.
func (y typed) cFunction(b *blocks, head, plain []token, paren int) int {
	at, name := y.cName(b, plain, paren)
	if y.control[b.text(name)] || at == 0 && y.usesMacro(b, head, plain[0], name) {
		return b.cTest(head, plain, at)
	}
	detail := b.join(plain[:paren+b.group(plain[paren:], 0)])
	kind := codeintel.Function
	if b.constructs(name) {
		kind = codeintel.Constructor
	}
	symbol := b.declared(kind, head, name, detail)
	if scope := b.cScope(plain, at); scope < at && b.is(plain[at-1], "::") {
		b.all[symbol].Kind, b.all[symbol].Receiver = codeintel.Method, b.dotted(plain[scope:at-1])
	}
	return symbol
}

// cName returns the name of a function, which may be that of an operator or a destructor, and the index it starts at.
func (y typed) cName(b *blocks, plain []token, paren int) (int, token) {
	at := y.nameBefore(plain, paren)
	for back := 1; back < 4 && at-back >= 0; back++ {
		if b.is(plain[at-back], "operator") {
			at -= back
			break
		}
	}
	name := plain[at]
	if b.is(name, "operator") {
		name.end = plain[paren-1].end
	}
	if at > 0 && plain[at-1].kind == '~' {
		at--
		name.start = plain[at].start
	}
	return at, name
}

// cScope returns the index at which the types in front of the name at an index start, as in "a::b<c>::name".
func (b *blocks) cScope(plain []token, name int) int {
	scope := name
	for scope > 1 && b.is(plain[scope-1], "::") && (plain[scope-2].kind == word || plain[scope-2].kind == '>') {
		scope = beforeArguments(plain, scope-2)
	}
	return scope
}

// beforeArguments returns the index in front of the type arguments that end at an index, or that index.
func beforeArguments(plain []token, at int) int {
	for depth := 0; at > 0 && (plain[at].kind == '>' || depth > 0); at-- {
		switch plain[at].kind {
		case '>':
			depth++
		case '<':
			depth--
		}
	}
	return at
}

// usesMacro reports whether a head that starts with a name is the use of a macro: a function has a type in front.
func (y typed) usesMacro(b *blocks, head []token, first, name token) bool {
	return !b.constructs(name) && name.start == first.start && first.kind == word && !y.mayLackType(b, head, name)
}

// cTest declares the function of "TEST(suite, name) {" under the last name in it, -1 for any other use of a macro.
func (b *blocks) cTest(head, plain []token, macro int) int {
	if macro != 0 || b.inType() || !allCaps(b.text(plain[0])) || plain[len(plain)-1].kind != ')' {
		return -1
	}
	for _, t := range plain[2 : len(plain)-1] {
		if t.kind != word && t.kind != ',' {
			return -1
		}
	}
	if name := plain[len(plain)-2]; name.kind == word {
		return b.declared(codeintel.Function, head, name, b.join(plain))
	}
	return -1
}

// mayLackType reports whether a function without a type in front is one, and not the use of a macro.
func (y typed) mayLackType(b *blocks, head []token, name token) bool {
	text := b.text(name)
	return len(head) > 1 && head[0].start != name.start || strings.HasPrefix(text, "operator") || text == "main"
}

// typedef declares the names of "typedef T a, *b" or "typedef T (*f)(int)".
func (y typed) typedef(b *blocks, head []token) {
	if at := functionPointer(head); at >= 0 {
		b.declared(codeintel.Type, head, head[at], b.join(head[1:]))
		return
	}
	parts := b.split(head)
	for i, part := range parts {
		if paren := y.callable(b, part); paren > 0 && i == 0 && part[len(part)-1].kind == ')' {
			b.declared(codeintel.Type, head, part[paren-1], b.join(head[1:]))
			return
		}
		if at := y.declarator(b, part); at >= 0 && (i > 0 || at > 1) {
			b.declared(codeintel.Type, head, part[at], b.join(parts[0][1:max(1, len(parts[0])-1)]))
		}
	}
}

// pointsToFunction reports whether a head names a pointer to a function behind the parenthesis.
func pointsToFunction(head []token, paren int) bool {
	at := functionPointer(head)
	return at > 0 && paren >= 0 && at > paren
}

// functionPointer returns the index of the name in "(*name)(…)" or "(name)(…)", or -1.
func functionPointer(head []token) int {
	for i := 0; i+3 < len(head); i++ {
		if head[i].kind != '(' {
			continue
		}
		at := i + 1
		if head[at].kind == '*' {
			at++
		}
		if head[at].kind != word || at+2 >= len(head) {
			continue
		}
		if head[at+1].kind == '[' && at == i+2 || head[at+1].kind == ')' && head[at+2].kind == '(' && i > 0 {
			return at
		}
	}
	return -1
}

func (y typed) cValues(b *blocks, head []token) {
	if at := functionPointer(head); at >= 0 && b.find(head[:at], "=") < 0 {
		kind := codeintel.Variable
		if head[at-1].kind == '(' && !b.inType() {
			kind = codeintel.Function // (name)(…), which no macro can be in the way of
		}
		b.declared(kind, head, head[at], b.join(head))
		return
	}
	kind := codeintel.Variable
	if b.find(head, "const") >= 0 && b.find(head, "*") < 0 || b.find(head, "constexpr") >= 0 {
		kind = codeintel.Constant
	}
	if _, _, ok := y.typeName(b, b.past(head, y.modifiers)); ok && len(head) < 3 {
		return // a type that is only named: struct x;
	}
	y.values(b, head, kind)
}

// cTail reads what stands behind the braces of a type: names of the type, or values of it.
func cTail(b *blocks, head []token, of tail) {
	if head[0].kind == word && b.is(head[0], "__attribute__") {
		return
	}
	for _, part := range b.split(head) {
		at := plainCTyped.declarator(b, part)
		switch {
		case at < 0:
		case of.typedef && b.all[of.symbol].Name == "":
			b.all[of.symbol].Name, b.all[of.symbol].NameSpan = b.text(part[at]), b.nameSpan(part[at])
			b.all[of.symbol].Span.End = int(part[at].end)
		case of.typedef:
			b.declared(codeintel.Type, head, part[at], b.all[of.symbol].Name)
		default:
			b.declared(codeintel.Variable, head, part[at], b.all[of.symbol].Name)
		}
	}
}

func (b *blocks) withoutLabel(head []token) []token {
	for len(head) > 1 && accessLabels[b.text(head[0])] {
		switch {
		case head[1].kind == ':':
			head = head[2:]
		case len(head) > 2 && head[2].kind == ':':
			head = head[3:]
		default:
			return head
		}
	}
	return head
}

// cppStart are words that stand first in a declaration, if no macro does.
var cppStart = words("explicit virtual static inline constexpr friend struct class enum union namespace template typedef")

// withoutMacros leaves out the uses of macros that stand before a declaration.
func (b *blocks) withoutMacros(head []token) []token {
	for len(head) > 1 && head[0].kind == word && allCaps(b.text(head[0])) {
		end := 1
		if head[1].kind == '(' {
			end += b.group(head[1:], 0)
		}
		if end == len(head) || head[end].kind != word || !head[end].first() && !cppStart[b.text(head[end])] {
			break
		}
		head = head[end:]
	}
	return head
}

func (b *blocks) withoutTemplate(head []token) []token {
	for len(head) > 1 && b.is(head[0], "template") && head[1].kind == '<' {
		head = head[1+b.group(head[1:], 0):]
	}
	return b.strip(head)
}

// cNamespace reads "namespace a::b" and its braces; what an unnamed one holds belongs to what holds it.
func (b *blocks) cNamespace(head []token, opens bool) (body, int) {
	if !opens {
		return opaque, -1
	}
	at := b.find(head, "namespace")
	if at+1 == len(head) {
		return holder, -1
	}
	name := token{start: head[at+1].start, end: head[len(head)-1].end, kind: word}
	return holder, b.declared(codeintel.Module, head, name, "")
}

// cUsing reads "using name = type".
func (b *blocks) cUsing(head []token) {
	if len(head) > 3 && b.is(head[2], "=") {
		b.declared(codeintel.Type, head, head[1], b.join(head[3:]))
	}
}

var (
	defined  = lazyregexp.New(`^#[ \t]*define[ \t]+([A-Za-z_]\w*)(\([^)]*\))?`)
	included = lazyregexp.New(`^#[ \t]*(?:include|import|include_next)[ \t]*(?:"([^"\n]+)"|(<[^>\n]+>))`)
)

func cDirective(b *blocks, t token) {
	text := b.text(t)
	if m := included.FindStringSubmatch(text); m != nil {
		b.importing([]token{t}, m[1]+m[2])
		return
	}
	m := defined.FindStringSubmatchIndex(text)
	if m == nil {
		return
	}
	name := token{start: t.start + int32(m[2]), end: t.start + int32(m[3]), kind: word}
	detail := ""
	if m[4] >= 0 {
		detail = text[m[4]:m[5]]
	}
	symbol := b.declared(codeintel.Macro, []token{t}, name, detail)
	b.all[symbol].parent, b.all[symbol].Doc = -1, b.doc(t)
	b.close(symbol, symbol+1, int(t.start)+len(strings.TrimRight(text, " \t\r\n")))
}

// cLiteral knows raw strings, and quotes between the digits of a number.
func cLiteral(l *lexer) int {
	rest := l.source[l.at:]
	switch {
	case rest[0] >= '0' && rest[0] <= '9':
		return l.at + len(rest) - len(strings.TrimLeft(rest[:min(len(rest), 64)], "0123456789abcdefABCDEFxXuUlL.'")) - max(0, len(rest)-64)
	case strings.HasPrefix(rest, `R"`):
		open := strings.IndexByte(rest[:min(len(rest), 20)], '(')
		if open < 0 {
			return l.at
		}
		return stringEnd(l.source, l.at+open+1, delimiter{close: ")" + rest[2:open] + `"`, raw: true, lines: true})
	}
	return l.at
}
