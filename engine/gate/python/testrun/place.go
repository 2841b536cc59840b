package testrun

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"forge/engine/gate"
	"forge/engine/gate/tool"
)

// Places makes findings from the messages of tools about files.
type Places struct {
	Root    tool.Root
	Sources *tool.Sources
	// Line is a line of a file of the tree, from 1: tools count columns in characters, and findings in bytes. Where the line is not
	// known, a column is taken as it is.
	Line func(path string, n int) (text string, known bool)
}

// PlacesIn are those of a tree.
func PlacesIn(tree gate.Tree) Places {
	sources := tool.SourcesOf(tree)
	r := reader{sources: sources, files: map[string][]string{}}
	return Places{Root: tool.RootOf(tree), Sources: sources, Line: r.line}
}

// At makes a finding. One outside of the tree has no place, until it is located: it stays in the message.
func (p Places) At(path string, line, column int, rule, message string) gate.Finding {
	f := gate.Finding{Severity: gate.SeverityError, Rule: rule}
	rel, ok := p.Root.Rel(path)
	message = p.Root.Inert(strings.TrimSpace(message))
	switch {
	case path == "":
	case ok && rel != ".":
		f.Path, f.Line = rel, max(0, line)
	default:
		message = p.Root.Inert(path) + ": " + message
	}
	if f.Line > 0 {
		f.Column = max(0, column)
	}
	if message == "" {
		message = rule
	}
	f.Message = tool.Trim(message)
	return f
}

// Characters counts a finding's column in bytes: it was counted in characters.
func (p Places) Characters(f gate.Finding) gate.Finding {
	return p.recount(f, func(rune) int { return 1 })
}

// Units counts a finding's column in bytes: it was counted in units of UTF-16.
func (p Places) Units(f gate.Finding) gate.Finding {
	return p.recount(f, func(r rune) int { return 1 + Boolean(r >= 0x10000) })
}

func (p Places) recount(f gate.Finding, width func(rune) int) gate.Finding {
	if f.Column <= 1 || f.Path == "" || p.Line == nil {
		return f
	}
	text, known := p.Line(f.Path, f.Line)
	if !known {
		return f
	}
	counted, bytes := 1, 1
	for _, r := range text {
		if counted >= f.Column {
			break
		}
		counted += width(r)
		bytes += max(1, utf8.RuneLen(r))
	}
	f.Column = bytes + max(0, f.Column-counted)
	return f
}

// Boolean is 1 for what is so, else 0.
func Boolean(is bool) int {
	if is {
		return 1
	}
	return 0
}

// Number reads digits; none are 0.
func Number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// reader reads lines of a tree's files, each file once.
type reader struct {
	sources *tool.Sources
	files   map[string][]string
}

func (r reader) line(path string, n int) (string, bool) {
	lines, read := r.files[path]
	if !read {
		lines = strings.Split(string(r.sources.Read(path)), "\n")
		r.files[path] = lines
	}
	if n < 1 || n > len(lines) {
		return "", false
	}
	return strings.TrimPrefix(strings.TrimSuffix(lines[n-1], "\r"), "\ufeff"), true
}
