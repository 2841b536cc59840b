package treesitter

import (
	"strings"

	"forge/codeintel"
)

var bashLexis = lexis{
	lineComments: []string{"#"}, wordMarks: "-$:.",
	strings: []delimiter{{open: `"`, close: `"`, lines: true}, {open: "'", close: "'", raw: true, lines: true}}, literal: bashLiteral,
}

// scanBash reads shell scripts: functions with their braces, and the values that stand outside of them.
func scanBash(source string) findings {
	l := &lines{lexer: lex(source, bashLexis)}
	depth := 0
	for row := range l.rows {
		if depth == 0 || row[0].indent == 0 && l.bashFunction(row) >= 0 {
			l.closeAll(int(row[0].start)) // their ends are missing
			depth = 0
			l.bash(row)
		}
		depth = l.bashBraces(row, depth)
	}
	l.closeAll(len(strings.TrimRight(source, " \t\r\n")))
	return l.findings
}

// bashBraces counts the braces of a row, and ends the function whose last one it holds. It returns how many are open.
func (l *lines) bashBraces(row []token, depth int) int {
	for i, t := range row {
		switch {
		case t.kind == '{' && standsApart(row, i, ')'):
			depth++
		case t.kind == '}' && depth > 0 && standsApart(row, i, ';'):
			depth--
		}
		if depth == 0 && t.kind == '}' && len(l.open) > 0 {
			l.closeLine(int(t.end))
		}
	}
	return depth
}

// standsApart reports whether the token at i starts its row, or follows a space or the mark.
func standsApart(row []token, i int, mark tokenKind) bool {
	return i == 0 || row[i].start > row[i-1].end || row[i-1].kind == mark
}

// bashFunction returns the index of the name of the function that a row starts, or -1.
func (l *lines) bashFunction(row []token) int {
	switch {
	case len(row) > 1 && l.text(row[0]) == "function" && row[1].kind == word:
		return 1
	case len(row) > 2 && row[0].kind == word && row[1].kind == '(' && row[2].kind == ')':
		return 0
	}
	return -1
}

func (l *lines) bash(row []token) {
	if at := l.bashFunction(row); at >= 0 {
		symbol := l.define(codeintel.Function, row, row[at], "")
		l.open = append(l.open, openLine{symbol, 0, true})
		return
	}
	switch text := l.text(row[0]); text {
	case "source", ".":
		if len(row) > 1 {
			l.bashSource(row)
		}
	case "readonly", "export", "declare", "typeset", "alias":
		for i := 1; i < len(row); i++ {
			if row[i].kind == word && !strings.HasPrefix(l.text(row[i]), "-") {
				l.bashValue(row, i, text)
				return
			}
		}
	default:
		l.bashValue(row, 0, text)
	}
}

// bashValue declares "name=value".
func (l *lines) bashValue(row []token, at int, keyword string) {
	name := l.text(row[at])
	if at+1 >= len(row) || row[at+1].kind != '=' || row[at+1].start != row[at].end || strings.ContainsAny(name, "-$:.") {
		return
	}
	kind := codeintel.Variable
	switch keyword {
	case "readonly":
		kind = codeintel.Constant
	case "alias":
		kind = codeintel.Function
	}
	l.define(kind, row, row[at], "")
}

// bashSource reads "source file": its argument is all up to the next space.
func (l *lines) bashSource(row []token) {
	end := 2
	for end < len(row) && row[end].start == row[end-1].end && row[end].kind != ';' {
		end++
	}
	l.imports = append(l.imports, codeintel.Import{Path: bare(l.dotted(row[1:end])),
		Span: codeintel.Span{Start: int(row[0].start), End: int(row[end-1].end)}})
}

// bashLiteral knows here-documents, and marks that "#" has a meaning behind: "$#", "${#a}" and "a#b" are no comments.
func bashLiteral(l *lexer) int {
	rest := l.source[l.at:]
	switch {
	case strings.HasPrefix(rest, "<<<"):
		return l.at + 3
	case strings.HasPrefix(rest, "<<"):
		return heredocEnd(l.source, l.at, strings.TrimLeft(rest[2:min(len(rest), 128)], "- \t\"'\\"))
	case strings.HasPrefix(rest, "\\") && len(rest) > 1 && rest[1] != '\n':
		return l.at + 2
	case strings.HasPrefix(rest, "${"):
		return l.expansionEnd()
	case strings.HasPrefix(rest, "$#"):
		return l.at + 2
	}
	return l.at
}

// maxExpansion bounds how far the end of "${" is looked for, in bytes.
const maxExpansion = 1000

// expansionEnd returns the end of "${…}" on its line, or l.at if its line holds none.
func (l *lexer) expansionEnd() int {
	depth := 0
	for at := l.at; at < min(len(l.source), l.at+maxExpansion) && l.source[at] != '\n'; at++ {
		switch l.source[at] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
	return l.at
}
