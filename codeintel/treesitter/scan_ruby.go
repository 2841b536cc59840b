package treesitter

import (
	"slices"
	"strings"

	"forge/codeintel"
)

var rubyLexis = lexis{
	lineComments: []string{"#"}, blockOpen: "\n=begin", blockClose: "\n=end", wordMarks: "@",
	strings: []delimiter{{open: `"`, close: `"`, lines: true}, {open: "'", close: "'", lines: true}}, literal: rubyLiteral,
}

// scanRuby reads Ruby by its lines: what a "def" opens ends with the "end" that is indented as it is.
func scanRuby(source string) findings {
	l := &lines{lexer: lex(source, rubyLexis)}
	for statement := range l.rows {
		l.ruby(statement)
	}
	l.closeAll(len(strings.TrimRight(source, " \t\r\n")))
	return l.findings
}

// rows yields the tokens of each line.
func (l *lexer) rows(yield func([]token) bool) {
	from := 0
	for i, t := range l.tokens {
		if t.first() && i > from {
			if !yield(l.tokens[from:i]) {
				return
			}
			from = i
		}
	}
	if from < len(l.tokens) {
		yield(l.tokens[from:])
	}
}

func (l *lines) ruby(row []token) {
	indent := int(max(0, row[0].indent))
	// A line further left than what is open says that its end is missing.
	for len(l.open) > 0 && (indent < l.open[len(l.open)-1].indent || indent == l.open[len(l.open)-1].indent && rubyOpeners[l.text(row[0])]) {
		l.closeLine(int(row[0].start))
	}
	if l.text(row[0]) == "end" {
		if len(l.open) > 0 && indent == l.open[len(l.open)-1].indent {
			l.closeLine(int(row[0].end))
		}
		return
	}
	if parent, inType := l.holder(); parent >= 0 && !inType {
		return
	}
	for len(row) > 1 && rubyModifiers[l.text(row[0])] {
		row = row[1:]
	}
	l.rubyDeclaration(row, indent)
}

var (
	rubyOpeners   = words("class module def")
	rubyModifiers = words("private public protected private_class_method module_function memoize")
)

func (l *lines) rubyDeclaration(row []token, indent int) {
	if len(row) < 2 {
		return
	}
	switch text := l.text(row[0]); text {
	case "class", "module":
		l.rubyType(row, indent, text == "module")
	case "def":
		l.rubyMethod(row, indent)
	case "require", "require_relative", "load", "autoload":
		l.rubyRequire(row)
	case "attr_reader", "attr_writer", "attr_accessor":
		l.rubyAttributes(row)
	case "alias", "alias_method":
		name := l.rubySymbol(row, 1)
		if name.end == 0 && row[1].kind == word {
			name = rubyName(row, 1)
		}
		if name.end > 0 {
			l.define(codeintel.Method, row, name, "")
		}
	default:
		if row[1].kind == '=' && text[0] >= 'A' && text[0] <= 'Z' && row[0].kind == word {
			l.define(codeintel.Constant, row, row[0], "")
		}
	}
}

// rubyType declares "class A::B < C". "class << self" opens what belongs to the class around it.
func (l *lines) rubyType(row []token, indent int, module bool) {
	kind := codeintel.Class
	if module {
		kind = codeintel.Module
	}
	if l.text(row[1]) == "::" && len(row) > 2 {
		row = slices.Concat(row[:1], row[2:])
	}
	if row[1].kind != word {
		if parent, _ := l.holder(); parent >= 0 && l.text(row[1]) == "<<" {
			l.open = append(l.open, openLine{parent, indent, false})
		}
		return
	}
	end := 2
	for end+1 < len(row) && l.text(row[end]) == "::" {
		end += 2
	}
	name := token{start: row[1].start, end: row[min(end, len(row))-1].end, kind: word}
	detail := l.join(row[min(end, len(row)):])
	detail, _, _ = strings.Cut(detail, ";")
	symbol := l.define(kind, row, name, strings.TrimSpace(detail))
	if l.text(row[len(row)-1]) != "end" {
		l.open = append(l.open, openLine{symbol, indent, false})
	}
}

// rubyMethod declares "def self.name(…)", also one without end: "def name = …".
func (l *lines) rubyMethod(row []token, indent int) {
	at := 1
	if len(row) > 3 && row[2].kind == '.' {
		at = 3
	}
	name := rubyName(row, at)
	end := at
	for end < len(row) && row[end].start < name.end {
		end++
	}
	kind := codeintel.Function
	if parent, _ := l.holder(); parent >= 0 {
		kind = codeintel.Method
	}
	symbol := l.define(kind, row, name, l.join(row[end:]))
	after := end
	if after < len(row) && row[after].kind == '(' {
		after += l.group(row[after:], 0)
	}
	endless := after < len(row) && row[after].kind == '='
	if !endless && l.text(row[len(row)-1]) != "end" {
		l.open = append(l.open, openLine{symbol, indent, true})
	}
}

// rubyName returns the name at an index with its marks: "name?", "name=", "[]=".
func rubyName(row []token, at int) token {
	end := at + 1
	for end < len(row) && row[end].start == row[end-1].end && row[end].kind != '(' && row[end].kind != ';' && row[end].kind != ',' {
		end++
	}
	return token{start: row[at].start, end: row[end-1].end, kind: word}
}

func (l *lines) rubyRequire(row []token) {
	at := slices.IndexFunc(row, func(t token) bool { return t.kind == quoted })
	if at < 0 {
		return
	}
	path := bare(l.text(row[at]))
	if l.text(row[0]) == "require_relative" && !strings.HasPrefix(path, ".") {
		path = "./" + path
	}
	l.imports = append(l.imports, codeintel.Import{Path: path, Span: codeintel.Span{Start: int(row[0].start), End: int(row[at].end)}})
}

// rubyAttributes declares the properties of "attr_reader :a, :b".
func (l *lines) rubyAttributes(row []token) {
	for i := range row {
		if name := l.rubySymbol(row, i); name.end > 0 {
			l.define(codeintel.Field, row, name, "")
		}
	}
}

// rubySymbol returns the name in ":name" at an index.
func (l *lines) rubySymbol(row []token, i int) token {
	if i+1 < len(row) && row[i].kind == ':' && row[i+1].kind == word {
		return row[i+1]
	}
	return token{}
}

// rubyLiteral knows texts that end with a line of their own, and lists of words. Regular expressions end with their line.
func rubyLiteral(l *lexer) int {
	rest := l.source[l.at:]
	switch {
	case strings.HasPrefix(rest, "<<~"), strings.HasPrefix(rest, "<<-"):
		return heredocEnd(l.source, l.at, strings.TrimLeft(rest[3:min(len(rest), 128)], `"'`))
	case l.rubyHeredoc(rest):
		return heredocEnd(l.source, l.at, rest[2:min(len(rest), 128)])
	case rest[0] == '$' && len(rest) > 1 && !isWordByte(rest[1]):
		return l.at + 2 // a variable such as $' or $/
	case rest[0] == '%' && !l.afterValue():
		return l.percentEnd()
	case l.rubyCharacter(rest):
		return l.at + 2
	case rest[0] == '/' && !l.afterValue():
		return l.expressionEnd()
	}
	return l.at
}

// rubyHeredoc reports whether "<<NAME" starts a text. "class <<Name" opens what belongs to Name.
func (l *lexer) rubyHeredoc(rest string) bool {
	if !strings.HasPrefix(rest, "<<") || len(rest) <= 2 || rest[2] < 'A' || rest[2] > 'Z' {
		return false
	}
	if len(l.tokens) == 0 {
		return true
	}
	last := l.tokens[len(l.tokens)-1]
	return l.source[last.start:last.end] != "class"
}

// rubyCharacter reports whether what is left starts with a character such as "?a".
func (l *lexer) rubyCharacter(rest string) bool {
	return rest[0] == '?' && !l.afterValue() && len(rest) > 2 && rest[1] > ' ' && !isWordByte(rest[2])
}

// afterValue reports whether what stands before l.at is a value, so that a mark is an operator.
func (l *lexer) afterValue() bool {
	if len(l.tokens) == 0 || l.fresh {
		return false
	}
	last := l.tokens[len(l.tokens)-1]
	if last.kind == word && int(last.end) < l.at && !strings.HasPrefix(l.source[min(len(l.source), l.at+1):], " ") {
		return false // an argument without parentheses
	}
	return l.endsValue(last) && !rubyPrefix[l.source[last.start:last.end]]
}

var rubyPrefix = words("if unless when while until and or not then do")

// percentEnd returns the end of "%w[…]" and the like, or l.at if it is none.
func (l *lexer) percentEnd() int {
	rest := l.source[l.at+1:]
	kind := 0
	if len(rest) > 1 && strings.IndexByte("qQwWiIrxs", rest[0]) >= 0 {
		kind = 1
	}
	if len(rest) <= kind || strings.IndexByte("([{<|!/", rest[kind]) < 0 {
		return l.at
	}
	open, end := rest[kind], rest[kind]
	if at := strings.IndexByte("([{<", open); at >= 0 {
		end = ")]}>"[at]
	}
	depth := 0
	for i := kind; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '\\':
			i++
		case c == end && (open != end || depth > 0):
			if depth--; depth == 0 {
				return l.at + 1 + i + 1
			}
		case c == open:
			depth++
		}
	}
	return len(l.source)
}
