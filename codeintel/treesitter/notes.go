package treesitter

import (
	"slices"
	"strings"

	"forge/codeintel"
)

// notes finds the comment that belongs to a declaration.
type notes struct {
	source  string
	endedAt map[int]note // by the end of a comment or of what is between, without trailing space
}

type note struct {
	start   int
	comment bool
}

func newNotes(source string, comments, between []codeintel.Span) notes {
	n := notes{source, map[int]note{}}
	for _, s := range between {
		n.endedAt[n.trim(s.End)] = note{s.Start, false}
	}
	for _, s := range comments {
		n.endedAt[n.trim(s.End)] = note{s.Start, true}
	}
	return n
}

func (n notes) trim(end int) int {
	return len(strings.TrimRight(n.source[:end], " \t\r\n"))
}

// above returns the first line of the comment directly above offset, or above what is between; empty without one. A
// comment after code, on the same line, belongs to that code.
func (n notes) above(offset int) string {
	var comments []string
	for at := offset; ; {
		end := n.trim(at)
		found, ok := n.endedAt[end]
		if !ok || strings.Count(n.source[end:at], "\n") > 1 || found.comment && !n.startsLine(found.start) {
			break
		}
		if found.comment {
			comments = append(comments, n.source[found.start:end])
		}
		at = found.start
	}
	slices.Reverse(comments)
	return codeintel.DocLine(strings.Join(comments, "\n"))
}

// withoutTail moves an end in front of space and of comments on lines of their own.
func (n notes) withoutTail(end int) int {
	for {
		end = n.trim(end)
		last, ok := n.endedAt[end]
		if !ok || !last.comment || !n.startsLine(last.start) {
			return end
		}
		end = last.start
	}
}

func (n notes) startsLine(offset int) bool {
	line := n.source[strings.LastIndexByte(n.source[:offset], '\n')+1 : offset]
	return strings.TrimSpace(strings.TrimPrefix(line, "\uFEFF")) == ""
}
