package codeintel

import (
	"strings"
)

var sqlRules = lexRules{
	lineComments: []string{"--", "#"}, blockOpen: "/*", blockClose: "*/", wordMarks: "$", ticks: true,
	strings: []delimiter{{open: "'", close: "'", raw: true, lines: true}}, literal: sqlLiteral,
}

var sqlKinds = map[string]Kind{
	"table": Table, "view": Table, "function": Function, "procedure": Function,
	"trigger": Function, "type": Type, "domain": Type, "schema": Module,
	"index": Key, "sequence": Variable,
}

// sqlScan reads what a script creates.
type sqlScan struct{ *scannedText }

func scanSQL(source string) findings {
	s := sqlScan{&scannedText{lexer: lex(source, sqlRules)}}
	from, depth := 0, 0
	for i, t := range s.tokens {
		switch {
		case t.kind == '(':
			depth++
		case t.kind == ')':
			depth--
		case t.kind == ';' && depth <= 0, t.first() && t.kind == word && s.is(t, "create") && i > from && depth > 0:
			s.statement(s.tokens[from:i])
			from, depth = i, 0
			if t.kind == ';' {
				from++
			}
		}
	}
	s.statement(s.tokens[from:])
	return s.findings
}

func (s sqlScan) is(t lexeme, keyword string) bool { return strings.EqualFold(s.text(t), keyword) }

// statement reads "CREATE … TABLE [IF NOT EXISTS] schema.name (columns)". What precedes CREATE, such as the body
// of a function that was cut at its semicolons, is left out.
func (s sqlScan) statement(tokens []lexeme) {
	for len(tokens) > 0 && !(s.is(tokens[0], "create")) {
		tokens = tokens[1:]
	}
	for i := 1; i < len(tokens) && i < 8 && tokens[i].kind == word; i++ {
		kind, ok := sqlKinds[strings.ToLower(s.text(tokens[i]))]
		if !ok {
			continue
		}
		at := i + 1
		for at < len(tokens) && (s.is(tokens[at], "if") || s.is(tokens[at], "not") || s.is(tokens[at], "exists") || s.is(tokens[at], "concurrently")) {
			at++
		}
		s.create(kind, tokens, at, s.is(tokens[i], "table"))
		return
	}
}

// create declares what is at an index, with its schema in front, and the columns of a table.
func (s sqlScan) create(kind Kind, tokens []lexeme, at int, columns bool) {
	for at+2 < len(tokens) && tokens[at].kind == word && tokens[at+1].kind == '.' {
		at += 2
	}
	if at >= len(tokens) || tokens[at].kind != word || s.is(tokens[at], "on") {
		return
	}
	behind := tokens[at+1:]
	parens := len(behind) > 0 && behind[0].kind == '('
	detail := ""
	if kind == Function && parens {
		detail = s.join(behind[:s.group(behind)])
	}
	symbol := s.declare(-1, kind, tokens, tokens[at], detail)
	if columns && parens {
		s.columns(symbol, behind)
	}
}

// columns declares the columns of a table from the parentheses that the tokens start with.
func (s sqlScan) columns(table int, tokens []lexeme) {
	end := s.group(tokens)
	for _, part := range s.split(tokens[1:max(1, end-1)]) {
		if len(part) > 1 && part[0].kind == word && !sqlConstraints[strings.ToLower(s.text(part[0]))] {
			s.declare(table, Field, part, part[0], s.join(part[1:]))
		}
	}
}

var sqlConstraints = words("primary foreign unique constraint check key index exclude like fulltext spatial period")

// declare adds one symbol under its name without quotes.
func (s sqlScan) declare(parent int, kind Kind, tokens []lexeme, name lexeme, detail string) int {
	text := s.text(name)
	trimmed := strings.TrimLeft(text, "`\"[")
	start := int(name.start) + len(text) - len(trimmed)
	trimmed = strings.TrimRight(trimmed, "`\"]")
	return s.add(parent, Symbol{
		Name: trimmed, Kind: kind, Detail: detail, Doc: s.doc(tokens[0]),
		Span:     Span{Start: int(tokens[0].start), End: int(tokens[len(tokens)-1].end)},
		NameSpan: Span{Start: start, End: start + len(trimmed)},
	})
}

// sqlLiteral knows texts between dollars: "$$ … $$" and "$body$ … $body$".
func sqlLiteral(l *lexer) int {
	rest := l.source[l.at:]
	if rest[0] != '$' {
		return l.at
	}
	end := 1
	for end < len(rest) && end < 64 && isWordByte(rest[end]) {
		end++
	}
	if end >= len(rest) || rest[end] != '$' || end > 1 && rest[1] >= '0' && rest[1] <= '9' {
		return l.at
	}
	return stringEnd(l.source, l.at+end+1, delimiter{close: rest[:end+1], raw: true, lines: true})
}
