package codeintel

import (
	"strings"
)

// markdownScan reads headings. A heading holds those of a deeper level up to the next one of its own.
type markdownScan struct {
	source string
	findings
	open   []openLine // headings, by their level
	fence  string     // what ends the code that is being read
	before Span
}

func scanMarkdown(source string) findings {
	s := &markdownScan{source: source}
	at := 0
	if strings.HasPrefix(source, "\uFEFF") {
		at = len("\uFEFF")
	}
	if rest := source[at:]; strings.HasPrefix(rest, "---\n") || strings.HasPrefix(rest, "---\r\n") {
		if end := strings.Index(rest[3:], "\n---"); end >= 0 { // data in front of the text
			at += 3 + end + len("\n---")
		}
	}
	for line := range strings.Lines(source[at:]) {
		s.line(at, strings.TrimRight(line, "\r\n"))
		at += len(line)
	}
	s.closeTo(0, len(strings.TrimRight(source, " \t\r\n")))
	return s.findings
}

func (s *markdownScan) line(at int, line string) {
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	last := s.before
	s.before = Span{}
	switch {
	case s.fence != "":
		if strings.HasPrefix(text, s.fence) && strings.Trim(text, s.fence[:1]+" \t") == "" {
			s.fence = ""
		}
	case indent > 3:
	case strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~"):
		s.fence = text[:len(text)-len(strings.TrimLeft(text, text[:1]))]
	case strings.HasPrefix(text, "#"):
		s.hashed(at+indent, text)
	case last.End > last.Start && underlines(text):
		level := 1
		if text[0] == '-' {
			level = 2
		}
		s.heading(level, Span{Start: last.Start, End: at + len(line)}, last)
	case text != "" && strings.IndexByte(">-*+|<`", text[0]) < 0:
		s.before = Span{Start: at + indent, End: at + len(strings.TrimRight(line, " \t"))}
	}
}

// underlines reports whether a line makes the one above it a heading.
func underlines(text string) bool {
	text = strings.TrimRight(text, " \t")
	return text != "" && (strings.Trim(text, "=") == "" || len(text) > 1 && strings.Trim(text, "-") == "")
}

// hashed reads "## heading ##".
func (s *markdownScan) hashed(at int, text string) {
	rest := strings.TrimLeft(text, "#")
	level := len(text) - len(rest)
	if level > 6 || rest == "" || rest[0] != ' ' && rest[0] != '\t' {
		return
	}
	title := strings.TrimSpace(rest)
	if bare := strings.TrimRight(title, "#"); bare == "" || strings.HasSuffix(bare, " ") {
		title = strings.TrimSpace(bare)
	}
	start := at + level + strings.Index(rest, title)
	s.heading(level, Span{Start: at, End: at + len(text)}, Span{Start: start, End: start + len(title)})
}

func (s *markdownScan) heading(level int, span, name Span) {
	s.closeTo(level, span.Start)
	parent := -1
	if len(s.open) > 0 {
		parent = s.open[len(s.open)-1].symbol
	}
	symbol := s.add(parent, Symbol{Name: s.source[name.Start:name.End], Kind: Heading, Span: span, NameSpan: name})
	s.open = append(s.open, openLine{symbol: symbol, indent: level})
}

// closeTo ends the headings of a level and below at an offset. The space before it belongs to none.
func (s *markdownScan) closeTo(level, end int) {
	for len(s.open) > 0 && s.open[len(s.open)-1].indent >= level {
		last := s.open[len(s.open)-1].symbol
		from := s.all[last].NameSpan.End
		s.close(last, last+1, max(s.all[last].Span.End, from+len(strings.TrimRight(s.source[from:max(from, end)], " \t\r\n"))))
		s.open = s.open[:len(s.open)-1]
	}
}
