package codeintel

import (
	"strings"
)

// yamlScan reads keys by their indentation. Keys inside of lists and of braces are left out: they repeat.
type yamlScan struct {
	source string
	findings
	open  []openLine
	list  int // the indent of the list that is being read, or -1
	block int // the indent of the key whose text spans several lines, or -1
	end   int // of the last line that holds something
	note  string
}

func scanYAML(source string) findings {
	s := &yamlScan{source: source, list: -1, block: -1}
	at := 0
	for line := range strings.Lines(source) {
		s.line(at, strings.TrimRight(line, "\r\n"))
		at += len(line)
	}
	s.closeTo(0)
	return s.findings
}

func (s *yamlScan) line(at int, line string) {
	if at == 0 {
		at = len(line) - len(strings.TrimPrefix(line, "\uFEFF"))
		line = line[at:]
	}
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	text = strings.TrimRight(text, " \t")
	switch {
	case text == "":
		s.note = ""
		return
	case s.block >= 0 && indent > s.block:
		s.end = at + indent + len(text)
		return
	case text[0] == '#':
		s.note += text + "\n"
		return
	}
	s.block = -1
	note := s.note
	s.note = ""
	switch {
	case text == "---" || text == "...":
		s.closeTo(0)
		s.list = -1
	case text[0] == '-' && (len(text) == 1 || text[1] == ' '):
		if s.list < 0 || indent < s.list {
			s.closeTo(indent + 1)
			s.list = indent
		}
		s.startsBlock(text, indent)
	case s.list >= 0 && indent > s.list:
		s.startsBlock(text, indent)
	default:
		s.list = -1
		s.key(at+indent, text, indent, note)
	}
	s.end = at + indent + len(text)
}

// startsBlock detects a text of several lines after "|" or ">".
func (s *yamlScan) startsBlock(text string, indent int) {
	if at := strings.LastIndexAny(text, "|>"); at > 0 && text[at-1] == ' ' && len(text)-at <= 3 {
		s.block = indent
	}
}

func (s *yamlScan) key(at int, text string, indent int, note string) {
	length := yamlKey(text)
	if length == 0 {
		return
	}
	s.closeTo(indent)
	parent := -1
	if len(s.open) > 0 {
		parent = s.open[len(s.open)-1].symbol
	}
	name := Span{Start: at, End: at + length}
	if length > 2 && (text[0] == '"' || text[0] == '\'') {
		name = Span{Start: at + 1, End: at + length - 1}
	}
	rest := strings.TrimSpace(text[length+1:])
	symbol := s.add(parent, Symbol{Name: s.source[name.Start:name.End], Kind: Key, Detail: yamlValue(rest),
		Doc: DocLine(note), Span: Span{Start: at, End: at + len(text)}, NameSpan: name})
	s.open = append(s.open, openLine{symbol: symbol, indent: indent})
	s.startsBlock(text, indent)
}

// yamlKey returns the length of the key that a line starts with, or 0.
func yamlKey(text string) int {
	var length int
	switch c := text[0]; {
	case c == '"' || c == '\'':
		end := strings.IndexByte(text[1:], c)
		if end < 0 {
			return 0
		}
		length = end + 2
	case strings.IndexByte("{}[],&*!|>%@`?\t", c) >= 0:
		return 0
	default:
		if length = strings.Index(text, ": "); length < 0 {
			length = len(text) - 1
		}
	}
	if length <= 0 || length >= len(text) || text[length] != ':' || length+1 < len(text) && text[length+1] != ' ' {
		return 0
	}
	if strings.Contains(text[:length], " #") {
		return 0
	}
	return length
}

// yamlValue returns what follows a key on its line, without a comment; the mark of a longer text is no value.
func yamlValue(rest string) string {
	if strings.HasPrefix(rest, "#") || rest != "" && strings.IndexByte("|>", rest[0]) >= 0 {
		return ""
	}
	if end := strings.Index(rest, " #"); end >= 0 {
		rest = rest[:end]
	}
	return Brief(rest)
}

// closeTo ends the keys that are indented as much or more.
func (s *yamlScan) closeTo(indent int) {
	for len(s.open) > 0 && s.open[len(s.open)-1].indent >= indent {
		last := s.open[len(s.open)-1].symbol
		s.close(last, last+1, max(s.all[last].Span.End, s.end))
		s.open = s.open[:len(s.open)-1]
	}
}
