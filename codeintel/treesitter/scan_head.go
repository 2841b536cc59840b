package treesitter

import (
	"strings"

	"forge/codeintel"
)

// group returns the index behind the bracket that closes the one at i, or the end of the tokens.
func (l *lexer) group(tokens []token, i int) int {
	open := tokens[i].kind
	closing := open + 2 // as ASCII has it
	if open == '(' {
		closing = ')'
	}
	depth := 0
	for ; i < len(tokens); i++ {
		switch tokens[i].kind {
		case open:
			depth++
		case closing:
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(tokens)
}

// strip returns a head without the annotations it starts with: "@Name(…)", "[Name]", "#[name]".
func (l *lexer) strip(head []token) []token {
	for len(head) > 0 {
		switch {
		case l.annotates(head):
			head = head[l.annotationEnd(head):]
		case head[0].kind == '#' && len(head) > 1 && (head[1].kind == '[' || head[1].kind == '!'):
			head = head[1:]
			if head[0].kind == '!' {
				head = head[1:]
			}
		case head[0].kind == '[':
			head = head[l.group(head, 0):]
		default:
			return head
		}
	}
	return head
}

// annotates reports whether a head starts with "@Name"; "@interface" declares a type.
func (l *lexer) annotates(head []token) bool {
	return head[0].kind == '@' && len(head) > 1 && head[1].kind == word && l.source[head[1].start:head[1].end] != "interface"
}

// annotationEnd returns the index behind the annotation that a head starts with: "@a.Name(…)", "@a:Name".
func (l *lexer) annotationEnd(head []token) int {
	i := 2
	for i+1 < len(head) && (head[i].kind == '.' || head[i].kind == ':') && head[i+1].kind == word {
		i += 2
	}
	if i < len(head) && head[i].kind == '(' && head[i].start == head[i-1].end {
		i = l.group(head, i)
	}
	return i
}

// find returns the index of the first token outside of brackets that has one of the texts, or -1.
func (l *lexer) find(tokens []token, texts ...string) int {
	depth := 0
	for i, t := range tokens {
		if depth == 0 {
			for _, text := range texts {
				if l.source[t.start:t.end] == text {
					return i
				}
			}
		}
		switch t.kind {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		}
	}
	return -1
}

// join writes tokens on one line, with a space where the source has some space between them. Comments are left out,
// and what a list has no room for.
func (l *lexer) join(tokens []token) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 && t.start > tokens[i-1].end {
			b.WriteByte(' ')
		}
		b.WriteString(l.source[t.start:t.end])
		if b.Len() > 1000 {
			break
		}
	}
	return codeintel.Brief(b.String())
}

// dotted writes tokens without space, as in the name of a package.
func (l *lexer) dotted(tokens []token) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteString(l.source[t.start:t.end])
	}
	return strings.ToValidUTF8(b.String(), "")
}

// split cuts tokens at the commas outside of brackets.
func (l *lexer) split(tokens []token) [][]token {
	var parts [][]token
	depth, from := 0, 0
	for i, t := range tokens {
		switch t.kind {
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}', '>':
			depth--
		case ',':
			if depth <= 0 {
				parts = append(parts, tokens[from:i])
				from = i + 1
			}
		}
	}
	return append(parts, tokens[from:])
}

// bare returns a string without its quotes.
func bare(text string) string { return strings.Trim(text, "'\"`") }
