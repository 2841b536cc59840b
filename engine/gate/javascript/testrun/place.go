package testrun

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// The rules of findings that are not a tool's own.
const (
	RuleTest   = "test"   // a test failed, or something outside of tests
	RuleLoad   = "load"   // a test file could not be loaded
	RuleSyntax = "syntax" // a file is not valid JavaScript or JSON
	RuleConfig = "config" // a tool rejects its configuration
)

var (
	// frame matches a line of a stack trace with a place: "at f (/a.js:1:2)", "at async file:///a.js:1:2", "❯ a.ts:1:2".
	frame = lazyregexp.New(`(?m)^[ \t]*(?:at|❯) (?:[^\n(]*\(([^\n]+?)|(?:async )?([^\n]+?)):(\d+):(\d+)\)?,?[ \t]*\{?$`)
	// traced matches any line of a stack trace.
	traced = lazyregexp.New(`^[ \t]+at .+(?:\)|:\d+:\d+)(?: \{)?$`)
	// Thrown matches the beginning of an error's message.
	Thrown = lazyregexp.New(`(?m)^\w*Error(?: \[\w+\])?: `)
	// goodbye matches the last line of a Node.js that was ended by an error.
	goodbye = lazyregexp.New(`(?m)^Node\.js v\d[^\n]*$`)
	// Heading matches the first line of Node.js about a file that it cannot compile, or an uncaught error: "/a.js:3".
	Heading = lazyregexp.New(`(?m)^(?:.*: )?((?:file://)?/[^\n]*?):(\d+)$`)
	// Caret matches the mark below the line of source that precedes it.
	Caret = lazyregexp.New(`^([ \t]*)\^+[ \t]*$`)
	// babel matches a place at the end of compilers' messages: Babel's "/a.js: Unexpected token (1:2)", Vite's "At file:
	// /a.js:1:2".
	babel = lazyregexp.New(`(?m)((?:[A-Za-z]:)?/[^\n:]*): [^\n]* \((\d+):(\d+)\)$`)
	vite  = lazyregexp.New(`(?m)^At file: /([^\n]*?):(\d+):(\d+)$`)
)

// Place is a place in the tree.
type Place struct {
	Path         string
	Line, column int // from 1; 0 if unknown
}

// FrameOf returns the innermost frame of a stack trace in the tree, except in installed files.
func FrameOf(text string, r tool.Root) (Place, bool) {
	return frameIn(text, r, func(string) bool { return true })
}

// frameIn is FrameOf, limited to wanted files.
func frameIn(text string, r tool.Root, want func(file string) bool) (Place, bool) {
	for _, m := range frame.FindAllStringSubmatch(text, -1) {
		if path, ok := Local(m[1]+m[2], r); ok && want(path) {
			return At(path, m[3], m[4]), true
		}
	}
	return Place{}, false
}

// SyntaxOf returns the place at which a compiler stopped.
func SyntaxOf(text string, r tool.Root) (Place, bool) {
	if m := vite.FindStringSubmatch(text); m != nil {
		for _, name := range []string{"/" + m[1], m[1]} { // Vitest 3 prints the whole path, later versions that in the project
			if path, ok := Local(name, r); ok {
				return At(path, m[2], m[3]), true
			}
		}
	}
	if !strings.Contains(text, "SyntaxError") {
		return Place{}, false
	}
	for _, m := range babel.FindAllStringSubmatch(text, -1) {
		if path, ok := Local(m[1], r); ok {
			p := At(path, m[2], m[3])
			p.column++ // Babel counts columns from 0
			return p, true
		}
	}
	m := Heading.FindStringSubmatchIndex(text)
	if m == nil {
		return Place{}, false
	}
	path, ok := Local(text[m[2]:m[3]], r)
	if !ok {
		return Place{}, false
	}
	p := At(path, text[m[4]:m[5]], "")
	if lines := strings.SplitN(text[m[1]:], "\n", 4); len(lines) >= 3 {
		if c := Caret.FindStringSubmatch(lines[2]); c != nil {
			p.column = len(c[1]) + 1
		}
	}
	return p, true
}

// At returns the place that a tool names by numbers; invalid ones are unknown.
func At(path, line, column string) Place {
	l, _ := strconv.Atoi(line)
	c, _ := strconv.Atoi(column)
	return Place{path, l, c}
}

// Local returns a path of the tree, except for installed files.
func Local(path string, r tool.Root) (string, bool) {
	if rest, is := strings.CutPrefix(path, "file://"); is {
		if path = rest; strings.Contains(path, "%") {
			if plain, err := url.PathUnescape(path); err == nil {
				path = plain
			}
		}
	}
	path, _, _ = strings.Cut(path, "?") // Vite adds "?v=…"
	if path == "" || strings.HasPrefix(path, "node:") || strings.HasPrefix(path, "<") || strings.Contains(path, "\x00") {
		return "", false
	}
	rel, ok := r.Rel(path)
	if !ok || rel == "." || slices.Contains(strings.Split(rel, "/"), "node_modules") {
		return "", false
	}
	return rel, true
}

// Message returns the message of an error, without its stack trace and the path of the tree.
func Message(text string, r tool.Root) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if !traced.MatchString(strings.TrimRight(line, "\r\n")) {
			kept.WriteString(line)
		}
	}
	said := strings.TrimSpace(r.Inert(strings.ReplaceAll(kept.String(), "file://", "")))
	if len(said) > tool.MaxMessage {
		said = strings.ToValidUTF8(said[:tool.MaxMessage], "") + "\n[…]"
	}
	return said
}

// Finding returns an error at a place.
func (p Place) Finding(rule, message string) gate.Finding {
	return gate.Finding{Path: p.Path, Line: p.Line, Column: p.column, Severity: gate.SeverityError, Rule: rule, Message: message}
}
