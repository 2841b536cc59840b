package codeintel

import (
	"slices"
	"strings"
)

// Bounds of what a Scope shows, in lines.
const (
	maxHeader   = 8
	aroundLines = 3 // on each side
)

// Scope is where a line of a source stands, as far as somebody needs to understand a message about that line.
type Scope struct {
	Symbols []Symbol // the functions and types around the line, from the outermost to the innermost
	Header  Excerpt  // how the innermost one begins: its lines up to the end of its signature, without those of Around
	Around  Excerpt  // the line with three more on each side
}

// Excerpt is some lines of a source.
type Excerpt struct {
	First int    // number of the first line; the first line of a source is 1
	Text  string // whole lines, without the last line break; empty for no lines
}

// Enclosing returns the innermost function or type around a line; the first line is 1. It is false where there is none:
// then the scope holds only the lines around, or nothing if there is no such line.
func Enclosing(symbols []Symbol, source string, line int) (Scope, bool) {
	lines := slices.Collect(strings.Lines(source))
	if line < 1 || line > len(lines) {
		return Scope{}, false
	}
	first := max(1, line-aroundLines)
	s := Scope{
		Symbols: symbolsAround(symbols, textSpan(lines, line)),
		Around:  excerpt(lines, first, min(len(lines), line+aroundLines)),
	}
	if len(s.Symbols) == 0 {
		return s, false
	}
	start, end := headerLines(source, lines, s.Symbols[len(s.Symbols)-1])
	s.Header = excerpt(lines, start, min(end, first-1))
	return s, true
}

// textSpan is a line without the space around its text.
func textSpan(lines []string, line int) Span {
	start := 0
	for _, l := range lines[:line-1] {
		start += len(l)
	}
	text := lines[line-1]
	trimmed := strings.TrimSpace(text)
	start += max(0, strings.Index(text, trimmed))
	return Span{start, start + len(trimmed)}
}

// symbolsAround looks into symbols of every kind, because functions stand in variables too, and returns those that show
// where one is.
func symbolsAround(symbols []Symbol, text Span) []Symbol {
	for _, s := range symbols {
		if text.Start >= s.Span.End || s.Span.Start >= max(text.End, text.Start+1) {
			continue
		}
		inner := symbolsAround(s.Children, text)
		if isScope(s.Kind) {
			return append([]Symbol{s}, inner...)
		}
		if len(inner) > 0 {
			return inner
		}
	}
	return nil
}

func isScope(k Kind) bool {
	switch k {
	case Function, Method, Constructor, Class, Struct, Interface, Enum, Type, Module, Macro:
		return true
	default:
		return false
	}
}

// headerLines are the first and the last line of a declaration's beginning: to where the brackets behind its name are
// closed.
func headerLines(source string, lines []string, s Symbol) (first, last int) {
	number := func(offset int) int { return 1 + strings.Count(source[:offset], "\n") }
	first, last = number(s.Span.Start), number(s.NameSpan.Start)
	first = max(first, last-maxHeader/2)
	depth := 0
	for ; last < min(len(lines), first+maxHeader-1); last++ {
		line := lines[last-1]
		depth += strings.Count(line, "(") + strings.Count(line, "[") - strings.Count(line, ")") - strings.Count(line, "]")
		if depth <= 0 {
			break
		}
	}
	return first, min(last, number(max(s.Span.Start, s.Span.End-1)))
}

func excerpt(lines []string, first, last int) Excerpt {
	if first > last {
		return Excerpt{}
	}
	text := strings.TrimSuffix(strings.Join(lines[first-1:last], ""), "\n")
	return Excerpt{First: first, Text: strings.TrimSuffix(text, "\r")}
}
