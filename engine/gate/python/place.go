package python

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"forge/engine/gate"
	"forge/engine/gate/tool"
)

// places makes findings of what tools say of files.
type places struct {
	root    tool.Root
	sources *tool.Sources
	// line is a line of a file of the tree, from 1: tools count columns in characters, and findings in bytes. Where the line is not
	// known, a column is taken as it is.
	line func(path string, n int) (text string, known bool)
}

// placesIn are those of a tree.
func placesIn(tree gate.Tree) places {
	sources := tool.SourcesOf(tree)
	r := reader{sources: sources, files: map[string][]string{}}
	return places{root: tool.RootOf(tree), sources: sources, line: r.line}
}

// at makes a finding. One outside of the tree has no place, until it is located: it stays in the message.
func (p places) at(path string, line, column int, rule, message string) gate.Finding {
	f := gate.Finding{Severity: gate.SeverityError, Rule: rule}
	rel, ok := p.root.Rel(path)
	message = p.root.Inert(strings.TrimSpace(message))
	switch {
	case path == "":
	case ok && rel != ".":
		f.Path, f.Line = rel, max(0, line)
	default:
		message = p.root.Inert(path) + ": " + message
	}
	if f.Line > 0 {
		f.Column = max(0, column)
	}
	if message == "" {
		message = rule
	}
	f.Message = trim(message)
	return f
}

// characters counts a finding's column in bytes: it was counted in characters.
func (p places) characters(f gate.Finding) gate.Finding {
	return p.recount(f, func(rune) int { return 1 })
}

// units counts a finding's column in bytes: it was counted in units of UTF-16.
func (p places) units(f gate.Finding) gate.Finding {
	return p.recount(f, func(r rune) int { return 1 + boolean(r >= 0x10000) })
}

func (p places) recount(f gate.Finding, width func(rune) int) gate.Finding {
	if f.Column <= 1 || f.Path == "" || p.line == nil {
		return f
	}
	text, known := p.line(f.Path, f.Line)
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

func boolean(is bool) int {
	if is {
		return 1
	}
	return 0
}

func trim(message string) string {
	if len(message) <= tool.MaxMessage {
		return message
	}
	return strings.ToValidUTF8(message[:tool.MaxMessage], "") + "\n[…]"
}

// number reads digits; none are 0.
func number(digits string) int {
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
