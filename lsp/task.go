package lsp

import (
	"regexp"
	"strings"

	"go.lsp.dev/protocol"

	"forge/api"
)

// taskComment is a task written where the work is: "// forge: add a test for Sum".
var taskComment = regexp.MustCompile(`(?m)^[ \t]*(?://|#|--|;|/\*)[ \t]*forge:[ \t]*(\S.*?)[ \t]*(?:\*/)?[ \t]*\r?$`)

// taskIn returns the task of the first comment in the lines of text from start to end, which count
// from 1 and are inclusive; an end of 0 is the end of the text.
func taskIn(text string, start, end int) string {
	all := strings.SplitAfter(text, "\n")
	if end == 0 || end > len(all) {
		end = len(all)
	}
	start = max(start, 1)
	if start > end {
		return ""
	}
	found := taskComment.FindStringSubmatch(strings.Join(all[start-1:end], ""))
	if found == nil {
		return ""
	}
	return found[1]
}

const howToGiveATask = `task: there is none; give one, such as {"task": "add a function Sum with tests"}, ` +
	`or write a comment "// forge: …" and put it in the scope`

// linesOf returns the lines a selection covers, from 1 and inclusive. A selection that ends before
// the first character of a line does not cover that line.
func linesOf(r *api.Range) (start, end int) {
	if r == nil {
		return 0, 0
	}
	start, end = int(r.Start.Line)+1, int(r.End.Line)+1
	if r.End.Character == 0 && end > start {
		end--
	}
	return start, end
}

// wireRange is a protocol range as commands carry it.
func wireRange(r protocol.Range) *api.Range {
	return &api.Range{
		Start: api.Position{Line: r.Start.Line, Character: r.Start.Character},
		End:   api.Position{Line: r.End.Line, Character: r.End.Character},
	}
}
