package treesitter

import (
	"slices"
	"strings"

	"forge/codeintel"
)

var phpKeywords = keywords{
	rules: map[string]rule{
		"function": {codeintel.Function, opaque}, "class": {codeintel.Class, holder}, "interface": {codeintel.Interface, holder},
		"trait": {codeintel.Interface, holder}, "enum": {codeintel.Enum, holder},
	},
	modifiers: words("public private protected static final abstract readonly var"),
}

var phpBlocks = blockGrammar{
	lexis: lexis{
		lineComments: []string{"//", "#"}, notComment: "#[", blockOpen: "/*", blockClose: "*/", wordMarks: "$",
		strings: []delimiter{{open: `"`, close: `"`, lines: true}, {open: "'", close: "'", lines: true}}, literal: phpLiteral,
	},
	starters: words("function class interface trait public private protected abstract final"),
	declare:  declarePHP,
}

// declarePHP reads one declaration, or one statement between the declarations.
func declarePHP(b *blocks, head []token, opens bool) (body, int) {
	for len(head) > 0 && head[0].kind == quoted {
		head = head[1:] // the text around the code
	}
	rest := b.past(b.strip(head), phpKeywords.modifiers)
	if len(rest) == 0 {
		return opaque, -1
	}
	switch strings.ToLower(b.text(rest[0])) {
	case "namespace":
		b.pkg = b.dotted(rest[1:])
		return holder, -1
	case "use":
		b.phpUse(rest, opens)
		return value, -1
	case "if", "else", "elseif":
		if opens && !b.inType() {
			return holder, -1 // a function may be declared on a condition
		}
	case "const":
		b.phpConstants(head, rest)
		return opaque, -1
	case "define":
		b.phpDefine(rest)
		return opaque, -1
	case "case":
		b.phpCase(head, rest)
		return opaque, -1
	case "require", "require_once", "include", "include_once":
		b.phpRequire(rest)
		return opaque, -1
	}
	if how, symbol, ok := phpKeywords.declare(b, head); ok {
		return how, symbol
	}
	return opaque, b.phpProperty(head)
}

// phpProperty declares the first variable of a statement in a class.
func (b *blocks) phpProperty(head []token) int {
	at := slices.IndexFunc(head, func(t token) bool { return t.kind == word && b.source[t.start] == '$' })
	if at < 1 || !b.inType() || head[at].end-head[at].start < 2 {
		return -1
	}
	name := head[at]
	name.start++
	front := slices.DeleteFunc(slices.Clone(b.strip(head)), func(t token) bool { return phpKeywords.modifiers[b.text(t)] || t.start >= name.start-1 })
	return b.declared(codeintel.Field, head, name, b.join(front))
}

// phpDefine declares the constant of "define('NAME', 1)".
func (b *blocks) phpDefine(rest []token) {
	if len(rest) > 2 && rest[2].kind == quoted && rest[2].end-rest[2].start > 2 {
		name := token{start: rest[2].start + 1, end: rest[2].end - 1, kind: word}
		b.declared(codeintel.Constant, rest, name, "")
	}
}

// phpCase declares a case of an enumeration.
func (b *blocks) phpCase(head, rest []token) {
	if b.inType() && len(rest) > 1 && rest[1].kind == word {
		b.declared(codeintel.Member, head, rest[1], b.detail(codeintel.Member, rest[2:]))
	}
}

func (b *blocks) phpConstants(head, rest []token) {
	for i, part := range b.split(rest[1:]) {
		end := max(0, b.find(part, "="))
		if end > 0 && part[end-1].kind == word && (end == 1 || i == 0) {
			b.declared(codeintel.Constant, head, part[end-1], "")
		}
	}
}

// phpUse reads imports; in a class they name traits, in which braces may resolve conflicts.
func (b *blocks) phpUse(rest []token, opens bool) {
	if opens || b.inType() {
		return
	}
	if skip := len(rest[1:]) - len(b.past(rest[1:], words("function const"))); skip > 0 {
		rest = rest[skip:]
	}
	b.importTree(rest, `\`)
}

func (b *blocks) phpRequire(rest []token) {
	at := slices.IndexFunc(rest, func(t token) bool { return t.kind == quoted })
	if at >= 0 {
		b.importing(rest, strings.TrimPrefix(strings.Trim(b.text(rest[at]), `'"`), "/"))
	}
}

// phpLiteral knows the text around the code, and texts that end with a line of their own.
func phpLiteral(l *lexer) int {
	rest := l.source[l.at:]
	switch {
	case len(l.tokens) == 0 && l.at <= len("\uFEFF") && !strings.HasPrefix(rest, "<?"), strings.HasPrefix(rest, "?>"):
		open := strings.Index(rest[1:], "<?")
		if open < 0 {
			return len(l.source)
		}
		return l.at + 1 + open
	case strings.HasPrefix(rest, "<?php"):
		return l.at + len("<?php")
	case strings.HasPrefix(rest, "<?="):
		return l.at + len("<?=")
	case strings.HasPrefix(rest, "<<<"):
		return heredocEnd(l.source, l.at, strings.TrimLeft(rest[3:min(len(rest), 128)], " \t\"'"))
	}
	return l.at
}

// heredocEnd returns the end of a text that starts on the next line, up to a line with nothing but the name at the
// start of mark; at, if there is no name.
func heredocEnd(source string, at int, mark string) int {
	length := 0
	for length < len(mark) && isWordByte(mark[length]) {
		length++
	}
	if length == 0 {
		return at
	}
	mark = mark[:length]
	for line := at; ; {
		next := strings.IndexByte(source[line:], '\n')
		if next < 0 {
			return len(source)
		}
		line += next + 1
		text := strings.TrimLeft(source[line:], " \t")
		if strings.HasPrefix(text, mark) && (len(text) == length || !isWordByte(text[length])) {
			return len(source) - len(text) + length
		}
	}
}
