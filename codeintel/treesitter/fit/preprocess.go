package fit

import (
	"strings"

	"forge/internal/lazyregexp"
)

// The grammars of C, C++ and C# know little of a preprocessor: an #if in the middle of a declaration, or a macro in its head, makes an
// error of what surrounds it. Where a text does not fit, its outline is made of one without these branches and macros, if that fits better.

// directives are comments and lines for the preprocessor, with their continuation lines. A group names those of conditions.
var directives = lazyregexp.New(`(?m)^[ \t]*#[ \t]*(if|el|endif|)(?:[^\n]*\\\r?\n)*[^\n]*|//[^\n]*|(?s:/\*.*?\*/)`)

// MaxConditions bounds how deep conditions may be nested.
const MaxConditions = 100

// OneBranch blanks the lines of conditions that divide a declaration, and all of their branches but the first.
func OneBranch(source string) string {
	b := branches{text: []byte(source)}
	lines := directives.FindAllStringSubmatchIndex(source, -1)
	b.measure(source, lines)
	var open [][]extent
	for _, m := range lines {
		if m[2] < 0 || m[2] == m[3] {
			continue
		}
		line, last := extent{m[0], m[1]}, len(open)-1
		switch {
		case source[m[2]:m[3]] == "if" && last == MaxConditions:
			return source
		case source[m[2]:m[3]] == "if":
			open = append(open, []extent{line})
		case last >= 0:
			open[last] = append(open[last], line)
			if source[m[2]:m[3]] == "endif" {
				b.end(open[last])
				open = open[:last]
			}
		}
	}
	return string(b.text)
}

// extent is a part of a text.
type extent struct{ start, end int }

// branches is a text of which branches are blanked, and what is known of its code in front of each byte.
type branches struct {
	text  []byte
	depth []int32 // brackets that are open
	mark  []byte  // the last byte that is no space; 0 at the beginning
}

func (b *branches) measure(source string, without [][]int) {
	bare := []byte(source)
	for _, m := range without {
		blankBytes(bare[m[0]:m[1]])
	}
	b.depth, b.mark = make([]int32, len(bare)+1), make([]byte, len(bare)+1)
	for i, c := range bare {
		b.depth[i+1], b.mark[i+1] = b.depth[i], b.mark[i]
		switch c {
		case '{', '(':
			b.depth[i+1]++
		case '}', ')':
			b.depth[i+1]--
		}
		if c > ' ' {
			b.mark[i+1] = c
		}
	}
}

// end blanks what divides a declaration, of a condition with these lines.
func (b *branches) end(lines []extent) {
	divides := false
	for i, line := range lines {
		divides = divides || b.mark[line.start] != 0 && strings.IndexByte(";{}:", b.mark[line.start]) < 0
		divides = divides || b.depth[line.start] != b.depth[lines[max(0, i-1)].end]
	}
	if divides {
		blankBytes(b.text[lines[0].start:lines[0].end])
		blankBytes(b.text[lines[1].start:lines[len(lines)-1].end])
	}
}

func blankBytes(text []byte) {
	for i, c := range text {
		if c != '\n' {
			text[i] = ' '
		}
	}
}

// arguments are those of a macro, with brackets in each other up to two levels.
const arguments = `\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)`

// Places of names in capitals that belong to no declaration: macros. The first group of each is what is blanked.
var (
	attributes = lazyregexp.New(`(\b(?:__attribute__|__declspec|__asm__|alignas|_Alignas)\s*` + arguments + `|\b(?:__extension__|__inline__|__inline|__restrict|__restrict__)\b)`)
	macroAlone = lazyregexp.New(`(?m)(?:[;{})]\s*|^#[^\n]*[^\\\n]\n\s*)^[ \t]*((?:[A-Z][A-Z0-9_]{2,}\b(?:` + arguments + `)?[ \t]*\n\s*)+)[a-z#~_]`)
	macroFront = lazyregexp.New(`(?m)(?:^|[;{}])[ \t]*(?:(?:static|extern|const|inline|class|struct|union|typedef)[ \t]+)*([A-Z][A-Z0-9_]{2,}\b(?:` + arguments + `)?)\s+(?:template\b|\w+[ \t*&]+(?:\w|\(\*|\(\w+\)[ \t]*\()|[\w:]+\s*[:{])`)
	macroAfter = lazyregexp.New(`[)*&]\s*((?:[A-Z][A-Z0-9_]{2,}\b(?:[ \t]*` + arguments + `)?\s*)+)[a-z_]|\)\s*((?:[A-Z][A-Z0-9_]{2,}\b(?:[ \t]*` + arguments + `)?\s*)+)[;{]`)
)

// WithoutPreprocessor is a text of C or C++ as it may be without one.
func WithoutPreprocessor(source string) string { return withoutMacros(OneBranch(source)) }

func withoutMacros(text string) string {
	for _, macro := range []*lazyregexp.Regexp{attributes, macroAlone, macroFront, macroAfter} {
		blanked := []byte(text)
		for _, m := range macro.FindAllStringSubmatchIndex(text, -1) {
			for group := 2; group < len(m); group += 2 {
				if m[group] >= 0 && !inDirective(text, m[group]) {
					blankBytes(blanked[m[group]:m[group+1]])
				}
			}
		}
		text = string(blanked)
	}
	return text
}

// inDirective reports whether an offset is on a line for the preprocessor: to a grammar one without a value continues on the next line.
func inDirective(text string, at int) bool {
	return strings.HasPrefix(strings.TrimLeft(text[strings.LastIndexByte(text[:at], '\n')+1:at], " \t"), "#")
}
