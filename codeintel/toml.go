package codeintel

import (
	"strings"
)

// tomlScan reads tables, and the keys in them.
type tomlScan struct {
	source string
	findings
	table int    // the table that is being read, or -1
	end   int    // of the last line that holds something
	until string // what ends the text of several lines that is being read
	depth int    // brackets that are open in a value
	note  string
}

func scanTOML(source string) findings {
	s := &tomlScan{source: source, table: -1}
	at := 0
	for line := range strings.Lines(source) {
		s.line(at, strings.TrimRight(line, "\r\n"))
		at += len(line)
	}
	s.closeTable()
	return s.findings
}

func (s *tomlScan) line(at int, line string) {
	if at == 0 {
		at = len(line) - len(strings.TrimPrefix(line, "\uFEFF"))
		line = line[at:]
	}
	text := strings.TrimSpace(line)
	at += strings.Index(line, text)
	note := s.note
	s.note = ""
	switch {
	case s.until != "":
		if strings.Contains(text, s.until) {
			s.until = ""
		}
	case text == "":
		return
	case text[0] == '#':
		s.note = note + text + "\n"
		return
	case s.depth > 0 && (text[0] != '[' || s.depth > 1 || !strings.HasSuffix(text, "]")):
		s.value(text)
	case text[0] == '[':
		s.depth = 0
		s.header(at, text, note)
	default:
		s.key(at, text, note)
	}
	s.end = at + len(text)
}

// header reads "[a.b]" and "[[a.b]]".
func (s *tomlScan) header(at int, text, note string) {
	open := len(text) - len(strings.TrimLeft(text, "[ "))
	length := strings.IndexByte(text[open:], ']')
	if length <= 0 {
		return
	}
	s.closeTable()
	name := Span{Start: at + open, End: at + open + len(strings.TrimRight(text[open:open+length], " "))}
	s.table = s.add(-1, Symbol{Name: s.source[name.Start:name.End], Kind: Key, Doc: DocLine(note),
		Span: Span{Start: at, End: at + len(text)}, NameSpan: name})
}

func (s *tomlScan) closeTable() {
	if s.table >= 0 {
		s.close(s.table, s.table+1, max(s.end, s.all[s.table].Span.End))
	}
}

// key reads "name = value".
func (s *tomlScan) key(at int, text, note string) {
	name, rest, ok := strings.Cut(text, "=")
	name = strings.TrimSpace(name)
	if !ok || name == "" || strings.ContainsAny(name, "#[]{}(),:;") {
		return
	}
	span := Span{Start: at, End: at + len(name)}
	if trimmed := bare(name); trimmed != "" && len(trimmed) == len(name)-2 {
		span = Span{Start: at + 1, End: at + len(name) - 1}
	}
	rest = strings.TrimSpace(rest)
	s.add(s.table, Symbol{Name: s.source[span.Start:span.End], Kind: Key, Detail: Brief(rest),
		Doc: DocLine(note), Span: Span{Start: at, End: at + len(text)}, NameSpan: span})
	s.depth = 0
	s.value(rest)
}

// value detects what continues after the line: a text of several lines, or a list.
func (s *tomlScan) value(text string) {
	for _, mark := range []string{`"""`, "'''"} {
		if strings.Count(text, mark) == 1 {
			s.until = mark
			return
		}
	}
	inside := byte(0)
	for i := range len(text) {
		switch c := text[i]; {
		case inside != 0:
			if c == inside {
				inside = 0
			}
		case c == '"' || c == '\'':
			inside = c
		case c == '#':
			return
		case c == '[' || c == '{':
			s.depth++
		case (c == ']' || c == '}') && s.depth > 0:
			s.depth--
		}
	}
}
