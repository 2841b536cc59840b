package fit

import (
	"strings"

	"forge/internal/lazyregexp"
)

// notCode are the comments and strings of languages with braces.
var notCode = lazyregexp.New(`//[^\n]*|(?s:/\*.*?\*/)|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)'`)

// CloseBraces closes braces that are closed according to the indentation of later ones, and blanks those that close nothing: a brace
// that is missing costs one declaration then, and not those around it.
func CloseBraces(source string) string {
	b := braces{text: []byte(source)}
	for line := range strings.Lines(blank(notCode, source)) {
		b.line(line)
		b.at += len(line)
	}
	return string(b.text)
}

// braces are those of a text that are open.
type braces struct {
	text []byte
	at   int         // where the line begins
	end  int         // after the last statement
	open []braceLine // their lines
}

// braceLine is a line on which a brace opens.
type braceLine struct{ at, indent int }

func (b *braces) line(line string) {
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	for i := range len(line) {
		switch line[i] {
		case '{':
			if last := len(b.open) - 1; last >= 0 && b.open[last].indent >= indent && b.open[last].at < b.at {
				b.close(b.end)
			}
			b.open = append(b.open, braceLine{b.at, indent})
		case '}':
			b.closed(b.at+i, indent, i == indent)
		}
		if line[i] == ';' || line[i] == '{' || line[i] == '}' {
			b.end = b.at + i + 1
		}
	}
}

// closed reads a brace that closes one, which may be the first on its line.
func (b *braces) closed(at, indent int, first bool) {
	last := len(b.open) - 1
	if last < 0 || first && b.open[last].indent < indent {
		b.text[at] = ' '
		return
	}
	if first && last > 0 && b.open[last].indent > indent {
		b.close(b.end)
		last--
	}
	b.open = b.open[:last]
}

// close puts a brace at the end of the line, at a place where nothing is.
func (b *braces) close(from int) {
	b.open = b.open[:len(b.open)-1]
	if n := strings.IndexAny(string(b.text[from:min(len(b.text), from+200)]), " \r\n"); n >= 0 {
		b.text[from+n] = '}'
	}
}
