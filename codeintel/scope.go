package codeintel

import (
	"slices"
	"strings"
)

// aroundLines are shown on each side of a line.
const aroundLines = 3

// Scope is where a line of a source is, as far as a reader needs it to understand a message about that line.
type Scope struct {
	Symbols []Symbol // the functions and types around the line, from the outermost to the innermost
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
	text := strings.TrimSuffix(strings.Join(lines[first-1:min(len(lines), line+aroundLines)], ""), "\n")
	s := Scope{Symbols: symbolsAround(symbols, textSpan(lines, line)), Around: Excerpt{First: first, Text: strings.TrimSuffix(text, "\r")}}
	return s, len(s.Symbols) > 0
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

// symbolsAround looks into symbols of every kind, because functions are in variables too, and returns those that show
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
