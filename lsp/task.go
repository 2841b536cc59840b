package lsp

import (
	"strings"

	"forge/internal/lazyregexp"
)

// taskComment is a task written where the work is: "// forge: add a test for Sum".
var taskComment = lazyregexp.New(`(?m)^[ \t]*(?://|#|--|;|/\*)[ \t]*forge:[ \t]*(\S.*?)[ \t]*(?:\*/)?[ \t]*\r?$`)

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
