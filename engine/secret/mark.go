package secret

import (
	"regexp"
	"strings"
)

// Rule tells a model what marks are. It stands in prompts that have one.
const Rule = `
Text of the form [redacted: NAME] stands for a secret that you are not shown. It is not what the file says: never write
it into a file, and let no line with it be part of a patch, neither to find a place nor to change it. Lines that you do not
name stay as they are, so change a file that has such a mark with a patch, and never rewrite it whole.`

const (
	markOpen  = "[redacted: "
	markClose = "]"
	maxName   = 80 // bytes
)

// mark matches what Mark gives.
var mark = regexp.MustCompile(`\[redacted: [^\]\[\n]{1,80}\]`)

// Mark is what stands for a secret.
func Mark(name string) string { return markOpen + cleanName(name) + markClose }

// cleanName is a name that cannot end a mark, nor break its line.
func cleanName(name string) string {
	clean := strings.Map(func(c rune) rune {
		if c < ' ' || c == '[' || c == ']' {
			return '_'
		}
		return c
	}, name)
	return strings.ToValidUTF8(clean[:min(len(clean), maxName)], "")
}

// MarkIn gives the first mark in a text; empty if there is none.
func MarkIn(text string) string { return mark.FindString(text) }

// MarkAdded gives a mark that stands more often in a text than it did before; empty if there is none.
func MarkAdded(before, after string) string {
	if !strings.Contains(after, markOpen) {
		return ""
	}
	for _, m := range mark.FindAllString(after, -1) {
		if strings.Count(after, m) > strings.Count(before, m) {
			return m
		}
	}
	return ""
}
