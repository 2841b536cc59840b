package main

import (
	"fmt"
	"html"
	"strconv"
	"strings"
)

// look is how a cell is drawn. An empty colour is that of the terminal.
type look struct {
	ink, paper                             string
	bold, faint, italic, underline, invers bool
}

// ansi are the colours with the numbers 0 to 15.
var ansi = [16]string{
	"#2e3436", "#cc3333", "#4e9a06", "#b58900", "#3465a4", "#8f5db7", "#06989a", "#d3d7cf",
	"#777c77", "#ef2929", "#7ac937", "#d9b400", "#729fcf", "#ad7fa8", "#34c2c2", "#eeeeec",
}

// colour returns a colour of the palette of 256.
func colour(n int) string {
	switch {
	case n < 16:
		return ansi[n]
	case n < 232:
		level := func(v int) int { return []int{0, 95, 135, 175, 215, 255}[v%6] }
		n -= 16
		return fmt.Sprintf("#%02x%02x%02x", level(n/36), level(n/6), level(n))
	default:
		grey := 8 + 10*(n-232)
		return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
	}
}

// apply changes the look by the numbers of an SGR sequence.
func (l *look) apply(codes []int) {
	for i := 0; i < len(codes); i++ {
		switch c := codes[i]; {
		case c == 0:
			*l = look{}
		case c == 1:
			l.bold = true
		case c == 2:
			l.faint = true
		case c == 3:
			l.italic = true
		case c == 4:
			l.underline = true
		case c == 7:
			l.invers = true
		case c == 22:
			l.bold, l.faint = false, false
		case c == 23:
			l.italic = false
		case c == 24:
			l.underline = false
		case c == 27:
			l.invers = false
		case c == 38 || c == 48:
			i += l.extended(c == 38, codes[i+1:])
		default:
			l.basic(c)
		}
	}
}

// basic applies one of the 16 colours, or that of the terminal.
func (l *look) basic(c int) {
	switch {
	case c == 39:
		l.ink = ""
	case c == 49:
		l.paper = ""
	case 30 <= c && c <= 37:
		l.ink = ansi[c-30]
	case 40 <= c && c <= 47:
		l.paper = ansi[c-40]
	case 90 <= c && c <= 97:
		l.ink = ansi[c-90+8]
	case 100 <= c && c <= 107:
		l.paper = ansi[c-100+8]
	}
}

// extended applies the colour behind 38 or 48, and returns how many numbers it has.
func (l *look) extended(ink bool, rest []int) int {
	to := &l.paper
	if ink {
		to = &l.ink
	}
	switch {
	case len(rest) >= 2 && rest[0] == 5:
		*to = colour(rest[1])
		return 2
	case len(rest) >= 4 && rest[0] == 2:
		*to = fmt.Sprintf("#%02x%02x%02x", rest[1], rest[2], rest[3])
		return 4
	}
	return 0
}

// style is the look in CSS.
func (l look) style(ink, paper string) string {
	if l.ink != "" {
		ink = l.ink
	}
	if l.paper != "" {
		paper = l.paper
	}
	if l.invers {
		ink, paper = paper, ink
	}
	s := "color:" + ink + ";background:" + paper
	if l.bold {
		s += ";font-weight:bold"
	}
	if l.faint {
		s += ";opacity:.6"
	}
	if l.italic {
		s += ";font-style:italic"
	}
	if l.underline {
		s += ";text-decoration:underline"
	}
	return s
}

// spans returns a screen, as tmux prints it with escape sequences, as HTML.
func spans(screen, ink, paper string) string {
	var b strings.Builder
	var now look
	for i, part := range strings.Split(screen, "\x1b[") {
		if i > 0 {
			codes, text, found := strings.Cut(part, "m")
			if !found {
				continue
			}
			now.apply(numbers(codes))
			part = text
		}
		for i, line := range strings.Split(strip(part), "\n") {
			if i > 0 {
				b.WriteByte('\n')
			}
			if line != "" {
				fmt.Fprintf(&b, `<span style="%s">%s</span>`, now.style(ink, paper), html.EscapeString(line))
			}
		}
	}
	return b.String()
}

// strip removes the sequences that switch to characters of lines, and links.
func strip(text string) string {
	return strings.NewReplacer("\x0e", "", "\x0f", "", "\x1b\\", "").Replace(text)
}

// numbers reads those of a sequence; an empty one is 0. Those of a colon, as in 4:3, belong to the number before it.
func numbers(codes string) (all []int) {
	for code := range strings.SplitSeq(codes, ";") {
		code, _, _ = strings.Cut(code, ":")
		n, err := strconv.Atoi(code)
		if err != nil {
			n = 0
		}
		all = append(all, n)
	}
	return all
}
