package treesitter

import (
	"slices"
	"strings"

	"forge/codeintel"
)

var pythonLexis = lexis{
	lineComments: []string{"#"},
	strings: []delimiter{{open: `"""`, close: `"""`, lines: true}, {open: "'''", close: "'''", lines: true},
		{open: `"`, close: `"`}, {open: "'", close: "'"}},
}

// lines reads a language whose declarations start with a line: Python, Ruby and Lua.
type lines struct {
	*lexer
	findings
	open []openLine // the declarations that are not at their end, outermost first
}

// openLine is a declaration whose body is being read.
type openLine struct {
	symbol int
	indent int
	opaque bool // what it holds is of no use to others
}

// statements yields the tokens of each logical line: one that goes on in brackets, or behind a backslash, is one.
func (l *lexer) statements(yield func([]token) bool) {
	from, depth := 0, 0
	for i, t := range l.tokens {
		starts := t.first() && depth <= 0 && !(i > 0 && l.tokens[i-1].kind == '\\')
		// Brackets that are never closed end where a line starts as far left as theirs, with a declaration.
		starts = starts || t.first() && t.indent <= l.tokens[from].indent && t.kind == word && pythonStarters[l.source[t.start:t.end]]
		if starts && i > from {
			if !yield(l.tokens[from:i]) {
				return
			}
			from, depth = i, 0
		}
		switch t.kind {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		}
	}
	if from < len(l.tokens) {
		yield(l.tokens[from:])
	}
}

var pythonStarters = words("def class import from async")

func scanPython(source string) findings {
	l := &lines{lexer: lex(source, pythonLexis)}
	end := 0
	for statement := range l.statements {
		indent := int(max(0, statement[0].indent))
		for len(l.open) > 0 && indent <= l.open[len(l.open)-1].indent && statement[0].kind != '@' || len(l.open) > 0 && indent < l.open[len(l.open)-1].indent {
			l.closeLine(end)
		}
		l.python(statement, indent)
		end = int(statement[len(statement)-1].end)
	}
	l.closeAll(end)
	return l.findings
}

// closeLine ends the innermost declaration.
func (l *lines) closeLine(end int) {
	last := l.open[len(l.open)-1]
	l.close(last.symbol, last.symbol+1, end)
	l.open = l.open[:len(l.open)-1]
}

// closeAll ends every declaration that is open.
func (l *lines) closeAll(end int) {
	for len(l.open) > 0 {
		l.closeLine(end)
	}
}

func (l *lines) text(t token) string { return l.source[t.start:t.end] }

// holder returns what a declaration belongs to, and whether that is a type.
func (l *lines) holder() (symbol int, inType bool) {
	if len(l.open) == 0 {
		return -1, false
	}
	last := l.open[len(l.open)-1]
	return last.symbol, !last.opaque
}

func (l *lines) python(statement []token, indent int) {
	parent, inType := l.holder()
	rest := statement
	if l.text(rest[0]) == "async" {
		rest = rest[1:]
	}
	if len(rest) < 2 {
		l.pythonDoc(statement, parent)
		return
	}
	switch l.text(rest[0]) {
	case "def", "class":
		if rest[1].kind == word {
			l.pythonDefinition(statement, rest, indent, inType)
		}
	case "import", "from":
		l.pythonImport(statement)
	default:
		if parent < 0 || inType {
			l.pythonValue(statement, inType)
		}
	}
}

func (l *lines) pythonDefinition(statement, rest []token, indent int, inType bool) {
	kind, isClass := codeintel.Function, l.text(rest[0]) == "class"
	switch {
	case isClass:
		kind = codeintel.Class
	case inType:
		kind = codeintel.Method
	}
	head := rest
	if colon := l.find(rest, ":"); colon >= 0 {
		head = rest[:colon]
	}
	symbol := l.define(kind, statement, rest[1], l.join(head[min(2, len(head)):]))
	l.open = append(l.open, openLine{symbol, indent, !isClass})
}

// define adds a declaration to what is open.
func (l *lines) define(kind codeintel.Kind, statement []token, name token, detail string) int {
	parent, _ := l.holder()
	return l.add(parent, codeintel.Symbol{
		Name: l.text(name), Kind: kind, Detail: codeintel.Brief(detail), Doc: l.doc(statement[0]),
		Span:     codeintel.Span{Start: int(statement[0].start), End: int(statement[len(statement)-1].end)},
		NameSpan: codeintel.Span{Start: int(name.start), End: int(name.end)},
	})
}

// pythonDoc takes the first string in a body for its documentation.
func (l *lines) pythonDoc(statement []token, parent int) {
	if parent < 0 || statement[0].kind != quoted || l.all[parent].Doc != "" || len(l.all)-1 != parent {
		return
	}
	l.all[parent].Doc = codeintel.DocLine(l.text(statement[0]))
}

// pythonValue declares the names of "a = (b, *c) = …" and "name: type".
func (l *lines) pythonValue(statement []token, inType bool) {
	if statement[0].kind == word && statement[1].kind == ':' {
		if len(statement) > 2 && !pythonBlock[l.text(statement[0])] {
			l.pythonName(statement, statement[0], l.pythonType(statement), inType)
		}
		return
	}
	for from := 0; ; {
		length := l.find(statement[from:], "=")
		if length < 0 {
			return
		}
		for i, t := range statement[from : from+length] {
			if t.kind == word && (i == 0 || statement[from+i-1].kind != '.') && pythonTarget(statement[from+i+1]) {
				l.pythonName(statement, t, "", inType)
			} else if t.kind == word || strings.IndexByte(",()[]*", byte(t.kind)) < 0 {
				return
			}
		}
		from += length + 1
	}
}

// pythonTarget reports whether a name before a token is one that is bound.
func pythonTarget(next token) bool { return strings.IndexByte(",)]=", byte(next.kind)) >= 0 }

// pythonType returns the type in "name: type = value".
func (l *lines) pythonType(statement []token) string {
	if end := l.find(statement, "="); end > 2 {
		return l.join(statement[2:end])
	}
	return l.join(statement[2:])
}

func (l *lines) pythonName(statement []token, name token, detail string, inType bool) {
	kind, text := codeintel.Variable, l.text(name)
	switch {
	case inType:
		kind = codeintel.Field
	case text == strings.ToUpper(text) && text != strings.ToLower(text):
		kind = codeintel.Constant
	}
	l.define(kind, statement, name, detail)
}

var pythonBlock = words("else try finally lambda")

// pythonImport reads "import a.b as c, d" and "from .a import b, c".
func (l *lines) pythonImport(statement []token) {
	span := codeintel.Span{Start: int(statement[0].start), End: int(statement[len(statement)-1].end)}
	if l.text(statement[0]) == "import" {
		for _, part := range l.split(statement[1:]) {
			if end := l.find(part, "as"); end >= 0 {
				part = part[:end]
			}
			if path := l.dotted(part); path != "" {
				l.imports = append(l.imports, codeintel.Import{Path: path, Span: span})
			}
		}
		return
	}
	at := l.find(statement, "import")
	if at < 2 {
		return
	}
	var names []string
	for _, part := range l.split(slices.DeleteFunc(slices.Clone(statement[at+1:]), func(t token) bool { return t.kind == '(' || t.kind == ')' })) {
		if len(part) > 0 {
			names = append(names, l.text(part[0]))
		}
	}
	l.imports = append(l.imports, codeintel.Import{Path: l.dotted(statement[1:at]), Names: names, Span: span})
}
