package treesitter

import (
	"slices"
	"strings"

	"forge/codeintel"
)

// body says how what stands between braces is read.
type body int

const (
	opaque  body = iota // statements, which declare nothing that others see
	holder              // declarations
	members             // names between commas, such as those of an enum, then declarations behind a ";"
	value               // part of an expression: the statement goes on behind it
)

// blockGrammar is what the block scanner knows of a language with braces.
type blockGrammar struct {
	lexis
	newlines bool // the end of a line ends a declaration if the next line starts with a starter
	// starters are the words that start a declaration and nothing else, if they stand first on a line. Broken source
	// is picked up again at them.
	starters map[string]bool
	// goesOn reports whether a line that starts with a token goes on with what stands before; nil means that every
	// line does that starts with no starter.
	goesOn func(b *blocks, before, t token) bool
	// declare reads one declaration: up to the brace that opens, or its end. It adds what is declared and says what
	// stands between the braces, and which symbol that belongs to.
	declare func(b *blocks, head []token, opens bool) (body, int)
	// tail reads what stands between a closed holder and the end of its statement. Most languages have nothing there.
	tail func(b *blocks, head []token, of tail)
	// line reads a line for the preprocessor.
	line func(b *blocks, t token)
}

// blocks reads a language with braces: it cuts the tokens into declarations at braces, semicolons and, in some
// languages, lines, and has the language read each. Bodies of functions are skipped. Every token belongs to one
// declaration at most, so it takes linear time if declare does.
type blocks struct {
	*lexer
	findings
	grammar blockGrammar
	stack   []block // the holders that are open, the file first
	from    int     // the first token of the declaration that is being read
	nest    nesting
	saved   []savedState // one for each #if that is open
	tails   tail
	mark    tokenKind // what ends the declaration that is being read; 0 for the end of the text
}

// maxValues is how many braces of one declaration are asked about whether they belong to a value; the others do.
const maxValues = 16

// nesting says where in a declaration the scanner is.
type nesting struct {
	body    int  // braces open in an opaque body; 0 outside of one
	inner   int  // braces open in parentheses or a value
	parens  int  // parentheses open outside of braces
	angles  int  // "<" without ">"
	assigns bool // a "=" stands before: braces belong to the value
	values  int  // braces that turned out to belong to a value
}

// block is a holder, or an opaque body with what it belongs to.
type block struct {
	opened      int // the token that opens it, or -1 for the file
	symbol      int // what it holds belongs to, or -1
	first, last int // the symbols that end with it
	indent      int // of the line its declaration starts on
	body        body
	receiver    string // of the functions in it; they are no children of it
	typedef     bool   // its names stand behind it
}

// tail is the end of a statement behind the braces of a type: "} name;".
type tail struct {
	open    bool
	symbol  int
	typedef bool
}

type savedState struct {
	stack  int
	opened int // block.opened of the innermost
	nest   nesting
	from   int // blocks.from
	at     int // the token of the #if
}

func scanBlocks(source string, grammar blockGrammar) findings {
	b := &blocks{lexer: lex(source, grammar.lexis), grammar: grammar}
	b.stack = []block{{opened: -1, symbol: -1, indent: -1, body: holder}}
	for i, t := range b.tokens {
		b.take(i, t)
	}
	b.finish(len(b.tokens))
	for len(b.stack) > 1 {
		b.pop(len(source))
	}
	return b.findings
}

func (b *blocks) top() *block { return &b.stack[len(b.stack)-1] }

func (b *blocks) text(t token) string { return b.source[t.start:t.end] }

// is reports whether a token is one of some texts.
func (b *blocks) is(t token, texts ...string) bool {
	for _, text := range texts {
		if b.text(t) == text {
			return true
		}
	}
	return false
}

func (b *blocks) take(i int, t token) {
	if t.kind == directive {
		b.takeDirective(i, t)
		return
	}
	if t.first() && t.kind == word || t.kind == '@' && t.first() {
		b.recover(i, t)
	}
	switch {
	case b.nest.body > 0:
		b.inBody(i, t)
	case b.nest.inner > 0 || b.nest.parens > 0:
		b.inParens(i, t)
	default:
		b.inHolder(i, t)
	}
}

// recover picks broken source up again: a line that starts a declaration is not inside one that is indented as
// much or more.
func (b *blocks) recover(i int, t token) {
	if !b.grammar.starters[b.text(t)] {
		return
	}
	switch {
	case b.nest.body > 0:
		if int(t.indent) <= b.top().indent {
			b.nest = nesting{}
			b.pop(int(b.tokens[i-1].end))
			b.from = i
		}
	case b.nest.inner > 0 || b.nest.parens > 0:
		if b.from < i && t.indent <= b.indentOf(b.from) && t.indent > int32(b.top().indent) {
			b.finish(i)
		}
	}
}

// indentOf returns the indent of the line a token stands on, if the token is the first there, or 0.
func (b *blocks) indentOf(i int) int32 { return max(0, b.tokens[i].indent) }

func (b *blocks) inBody(i int, t token) {
	switch t.kind {
	case '{':
		b.nest.body++
	case '}':
		if b.nest.body--; b.nest.body == 0 {
			b.pop(int(t.end))
			b.from = i + 1
		}
	}
}

func (b *blocks) inParens(i int, t token) {
	switch t.kind {
	case '{':
		b.nest.inner++
	case '}':
		if b.nest.inner > 0 {
			b.nest.inner--
			return
		}
		b.nest.parens = 0 // one of them was never closed
		b.inHolder(i, t)
	case '(', '[':
		if b.nest.inner == 0 {
			b.nest.parens++
		}
	case ')', ']':
		if b.nest.inner == 0 {
			b.nest.parens--
		}
	}
}

// inHolder reads a token between declarations, or in the head of one.
func (b *blocks) inHolder(i int, t token) {
	switch t.kind {
	case '(', '[':
		b.nest.parens++
	case '{':
		b.open(i, t)
	case '}':
		b.endHolder(i, t)
	case ';':
		b.endStatement(i)
	case ',':
		b.endMember(i)
	case '<':
		b.nest.angles++
	case '>':
		b.nest.angles--
	case '=':
		b.nest.assigns = b.nest.assigns || b.nest.angles <= 0 && !b.names(i)
	default:
		if b.grammar.newlines && t.first() && b.from < i && b.starts(i, t) {
			b.finish(i)
		}
	}
}

// endHolder reads the brace that closes what holds declarations.
func (b *blocks) endHolder(i int, t token) {
	b.finish(i)
	b.from = i + 1
	if len(b.stack) > 1 {
		b.pop(int(t.end))
	}
}

// endStatement reads a semicolon; a list of members is over with it.
func (b *blocks) endStatement(i int) {
	b.finish(i)
	b.from = i + 1
	if b.top().body == members {
		b.top().body = holder
	}
}

// endMember reads a comma, which ends a declaration only in a list of members.
func (b *blocks) endMember(i int) {
	if b.top().body == members && b.nest.angles <= 0 {
		b.finish(i)
		b.from = i + 1
	}
}

// names reports whether the mark at i is part of a name, as in "operator=".
func (b *blocks) names(i int) bool {
	return i > b.from && b.is(b.tokens[i-1], "operator") || i > b.from+1 && b.is(b.tokens[i-2], "operator")
}

// starts reports whether a token that is the first on its line starts a declaration, if the one that is being read
// is more than modifiers and annotations.
func (b *blocks) starts(i int, t token) bool {
	if t.kind != '@' && !b.grammar.starters[b.text(t)] && (b.grammar.goesOn == nil || b.grammar.goesOn(b, b.tokens[i-1], t)) {
		return false
	}
	return len(b.past(b.strip(b.tokens[b.from:i]), b.grammar.starters)) > 0
}

// open reads the declaration up to a brace, and enters what it opens.
func (b *blocks) open(i int, t token) {
	if b.nest.assigns {
		b.nest.inner++
		return
	}
	head := b.head(i)
	first := len(b.all)
	b.mark = '{'
	how, symbol := b.grammar.declare(b, head, true)
	if how == value {
		b.nest.inner++
		b.nest.values++
		b.nest.assigns = b.nest.values >= maxValues
		return
	}
	indent := max(0, int(t.indent))
	if len(head) > 0 {
		indent = int(b.indentOf(b.from))
	}
	b.tails = tail{}
	next := block{opened: i, symbol: symbol, first: first, last: len(b.all), indent: indent, body: how}
	if how != opaque && len(head) > 0 {
		next.typedef = b.is(head[0], "typedef")
	}
	if symbol < 0 && how != opaque {
		next.symbol, next.receiver = b.top().symbol, b.receiverOf(head)
	}
	b.stack = append(b.stack, next)
	b.nest = nesting{}
	if how == opaque {
		b.nest.body = 1
	}
	b.from = i + 1
}

// receiverOf returns the type that a block of methods is for: what its head names behind "impl" or "extension".
func (b *blocks) receiverOf(head []token) string {
	head = b.strip(head)
	if len(head) < 2 || !b.is(head[0], "impl", "extension") {
		return ""
	}
	head = head[1:]
	if head[0].kind == '<' {
		head = head[b.group(head, 0):]
	}
	for i := 0; i < len(head); i++ {
		if b.is(head[i], "for") {
			head = head[i+1:]
			break
		}
	}
	for i := range head {
		if b.is(head[i], "where", ":") {
			head = head[:i]
			break
		}
	}
	return b.join(head)
}

// finish reads the declaration that ends before token i.
func (b *blocks) finish(i int) {
	head := b.head(i)
	first := len(b.all)
	b.mark = 0
	if i < len(b.tokens) {
		b.mark = b.tokens[i].kind
	}
	switch {
	case len(head) == 0:
	case b.tails.open:
		b.grammar.tail(b, head, b.tails)
	default:
		b.grammar.declare(b, head, false)
	}
	if len(head) > 0 {
		b.close(first, len(b.all), int(head[len(head)-1].end))
	}
	b.nest = nesting{}
	b.from, b.tails = i, tail{}
}

func (b *blocks) pop(end int) {
	closed := *b.top()
	b.stack = b.stack[:len(b.stack)-1]
	b.close(closed.first, closed.last, end)
	if closed.body != opaque && b.grammar.tail != nil && closed.symbol >= 0 && isType(b.all[closed.symbol].Kind) {
		b.tails = tail{true, closed.symbol, closed.typedef}
	}
}

// takeDirective reads a line for the preprocessor. The branches of an #if start at the same place.
func (b *blocks) takeDirective(i int, t token) {
	name := strings.TrimLeft(b.text(t)[1:], " \t")
	switch {
	case strings.HasPrefix(name, "if"):
		b.saved = append(b.saved, savedState{len(b.stack), b.top().opened, b.nest, b.from, i})
	case strings.HasPrefix(name, "el") && len(b.saved) > 0:
		b.nextBranch(i, t, b.saved[len(b.saved)-1])
	case strings.HasPrefix(name, "endif") && len(b.saved) > 0:
		b.saved = b.saved[:len(b.saved)-1]
	}
	if b.from == i {
		b.from = i + 1
	}
	if b.grammar.line != nil {
		b.grammar.line(b, t)
	}
}

// nextBranch goes back to where the branch before started, unless that has closed the block around it: then a
// declaration that had begun there is over.
func (b *blocks) nextBranch(i int, t token, s savedState) {
	if s.stack > len(b.stack) || b.stack[s.stack-1].opened != s.opened {
		return
	}
	for len(b.stack) > s.stack {
		b.pop(int(t.start))
	}
	b.nest, b.tails = s.nest, tail{}
	if b.from = s.from; s.from >= s.at {
		b.from = i // no declaration had begun
	}
}

// head returns the tokens of the declaration that ends before token i, without lines for the preprocessor.
func (b *blocks) head(i int) []token {
	head := b.tokens[b.from:i]
	if !slices.ContainsFunc(head, isDirective) {
		return head
	}
	return slices.DeleteFunc(slices.Clone(head), isDirective)
}

func isDirective(t token) bool { return t.kind == directive }

// declared adds what a declaration declares under a name: its span starts with the declaration.
func (b *blocks) declared(kind codeintel.Kind, head []token, name token, detail string) int {
	top, span := b.top(), b.nameSpan(name)
	s := codeintel.Symbol{
		Kind: kind, Name: b.source[span.Start:span.End], Detail: codeintel.Brief(detail), Doc: b.docOf(head[0]),
		Span: codeintel.Span{Start: int(head[0].start), End: int(head[len(head)-1].end)}, NameSpan: span,
	}
	switch {
	case kind == codeintel.Function && top.receiver != "":
		s.Kind, s.Receiver = codeintel.Method, top.receiver
	case kind == codeintel.Function && b.inType():
		s.Kind = codeintel.Method
	case kind == codeintel.Variable && b.inType():
		s.Kind = codeintel.Field
	}
	return b.add(top.symbol, s)
}

// docOf returns the comment above a declaration, which may start before its head does.
func (b *blocks) docOf(t token) string {
	if text := b.doc(t); text != "" || b.from >= len(b.tokens) {
		return text
	}
	return b.doc(b.tokens[b.from])
}

// inType reports whether what is declared belongs to a type.
func (b *blocks) inType() bool {
	symbol := b.top().symbol
	return symbol >= 0 && isType(b.all[symbol].Kind)
}

func (b *blocks) nameSpan(name token) codeintel.Span {
	text := b.text(name)
	trimmed := strings.TrimLeft(text, "`")
	start := int(name.start) + len(text) - len(trimmed)
	return codeintel.Span{Start: start, End: start + len(strings.TrimRight(trimmed, "`"))}
}

func (b *blocks) importing(head []token, path string, names ...string) {
	if path != "" {
		b.imports = append(b.imports, codeintel.Import{Path: path, Names: names,
			Span: codeintel.Span{Start: int(head[0].start), End: int(head[len(head)-1].end)}})
	}
}

// importTree reads a statement whose first word is a keyword, and whose rest may name several things in braces.
func (b *blocks) importTree(head []token, separator string) {
	start, end := int(head[0].start), int(head[len(head)-1].end)
	if len(head) > 1 {
		b.imports = append(b.imports, splitTree(codeintel.Import{Path: b.source[head[1].start:end],
			Span: codeintel.Span{Start: start, End: end}}, separator)...)
	}
}
