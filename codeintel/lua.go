package codeintel

import (
	"slices"
	"strings"
)

var luaRules = lexRules{
	lineComments: []string{"--"}, blockOpen: "--[[", blockClose: "]]",
	strings: []delimiter{{open: `"`, close: `"`}, {open: "'", close: "'"}}, literal: luaLiteral,
}

// luaScan reads Lua by counting what "end" closes.
type luaScan struct {
	*scannedText
	open      []luaBlock // blocks and brackets, outermost first
	functions int        // how many of them are functions
	next      int        // the symbol of the function whose keyword comes next, or -1
}

// luaBlock is what "end" or a bracket closes.
type luaBlock struct {
	function bool
	symbol   int // that ends with it, or -1
}

func scanLua(source string) findings {
	s := &luaScan{scannedText: &scannedText{lexer: lex(source, luaRules)}, next: -1}
	for i, t := range s.tokens {
		if t.first() && t.indent == 0 && s.starts(i) {
			s.recover(int(t.start))
		}
		if s.functions == 0 {
			s.declaration(i)
		}
		s.count(t)
	}
	s.recover(len(strings.TrimRight(source, " \t\r\n")))
	s.requires()
	return s.findings
}

// starts reports whether a function starts at a token. If that is not indented, nothing is open.
func (s *luaScan) starts(i int) bool {
	text := s.text(s.tokens[i])
	return text == "function" || text == "local" && i+1 < len(s.tokens) && s.text(s.tokens[i+1]) == "function"
}

// recover ends all that is open.
func (s *luaScan) recover(end int) {
	for len(s.open) > 0 {
		s.pop(end)
	}
}

func (s *luaScan) pop(end int) {
	last := s.open[len(s.open)-1]
	s.open = s.open[:len(s.open)-1]
	if last.function {
		s.functions--
	}
	if last.symbol >= 0 {
		s.close(last.symbol, last.symbol+1, end)
	}
}

func (s *luaScan) count(t lexeme) {
	switch text := s.text(t); text {
	case "function":
		s.open = append(s.open, luaBlock{true, s.next})
		s.functions++
		s.next = -1
	case "if", "do", "repeat", "{", "(":
		s.open = append(s.open, luaBlock{false, -1})
	case "end", "until", "}", ")":
		if len(s.open) > 0 {
			s.pop(int(t.end))
		}
	}
}

func (s *luaScan) declaration(i int) {
	rest := s.tokens[i:]
	local := s.text(rest[0]) == "local"
	switch {
	case s.text(rest[0]) == "function" && (i == 0 || s.text(s.tokens[i-1]) != "local"):
		s.function(rest, rest[1:])
	case local && len(rest) > 2 && s.text(rest[1]) == "function":
		s.function(rest, rest[2:])
	case local && len(rest) > 2:
		s.assignment(rest, rest[1:])
	case rest[0].kind == word && rest[0].first() && (i == 0 || s.text(s.tokens[i-1]) != ","):
		s.assignment(rest, rest)
	}
}

// luaName returns the end of a name such as "a.b:c" that the tokens start with.
func luaName(tokens []lexeme) int {
	if len(tokens) == 0 || tokens[0].kind != word {
		return 0
	}
	end := 1
	for end+1 < len(tokens) && (tokens[end].kind == '.' || tokens[end].kind == ':') && tokens[end+1].kind == word {
		end += 2
	}
	return end
}

func (s *luaScan) function(statement, rest []lexeme) {
	end := luaName(rest)
	if end == 0 || end == len(rest) || rest[end].kind != '(' {
		return
	}
	s.named(Function, statement, rest[:end], s.join(rest[end:end+s.group(rest[end:min(len(rest), end+256)])]))
	s.next = len(s.all) - 1
}

// assignment declares "a.b = function(…)", and the value of a name that is local or alone.
func (s *luaScan) assignment(statement, rest []lexeme) {
	end := luaName(rest)
	if end > 0 && end+2 < len(rest) && rest[end].kind == '<' && rest[end+2].kind == '>' { // <const>
		rest = slices.Concat(rest[:end], rest[end+3:min(len(rest), end+256)])
	}
	if end == 0 || end+1 >= len(rest) || rest[end].kind != '=' {
		return
	}
	behind := rest[end+1:]
	switch {
	case s.text(behind[0]) == "function" && len(behind) > 1 && behind[1].kind == '(':
		s.named(Function, statement, rest[:end], s.join(behind[1:1+s.group(behind[1:min(len(behind), 256)])]))
		s.next = len(s.all) - 1
	case end == 1 && len(s.open) == 0:
		s.named(Variable, statement, rest[:end], "")
	}
}

// named declares a function or value under the last part of its name.
func (s *luaScan) named(kind Kind, statement, name []lexeme, detail string) {
	start, last := int(statement[0].start), name[len(name)-1]
	symbol := Symbol{
		Name: s.text(last), Kind: kind, Detail: Brief(detail), Doc: s.doc(statement[0]),
		Span: Span{Start: start, End: int(last.end)}, NameSpan: Span{Start: int(last.start), End: int(last.end)},
	}
	if len(name) > 1 {
		symbol.Kind, symbol.Receiver = Method, s.source[name[0].start:name[len(name)-3].end]
	}
	s.add(-1, symbol)
}

// requires reads the calls of require.
func (s *luaScan) requires() {
	for i, t := range s.tokens {
		if t.kind != word || s.text(t) != "require" || i+1 == len(s.tokens) {
			continue
		}
		at := i + 1
		if s.tokens[at].kind == '(' {
			at++
		}
		if at < len(s.tokens) && s.tokens[at].kind == quoted {
			s.imports = append(s.imports, Import{Path: bare(s.text(s.tokens[at])),
				Span: Span{Start: int(t.start), End: int(s.tokens[at].end)}})
		}
	}
}

// luaLiteral knows texts between long brackets.
func luaLiteral(l *lexer) int {
	rest := l.source[l.at:]
	if rest[0] != '[' {
		return l.at
	}
	marks := len(rest[1:]) - len(strings.TrimLeft(rest[1:], "="))
	if !strings.HasPrefix(rest[1+marks:], "[") {
		return l.at
	}
	return stringEnd(l.source, l.at+marks+2, delimiter{close: "]" + rest[1:1+marks] + "]", raw: true, lines: true})
}
