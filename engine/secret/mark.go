package secret

import (
	"strings"
)

// Rule explains marks to a model. It is in prompts with a mark.
const Rule = `
Text of the form [redacted: NAME] stands for a secret that you are not shown. It is not what the file says: never write
it into a file, and let no line with it be part of a patch, neither to find a place nor to change it. Lines that you do not
name stay as they are, so change a file that has such a mark with a patch, and never rewrite it whole.`

const (
	markOpen  = "[redacted: "
	markClose = "]"
	maxName   = 80 // bytes
)

// mark matches the output of Mark.
var mark = lazily(`\[redacted: [^\]\[\n]{1,80}\]`)

// Mark returns the text that replaces a secret.
func Mark(name string) string { return markOpen + cleanName(name) + markClose }

// cleanName returns a name that cannot end a mark or its line.
func cleanName(name string) string {
	clean := strings.Map(func(c rune) rune {
		if c < ' ' || c == '[' || c == ']' {
			return '_'
		}
		return c
	}, name)
	return strings.ToValidUTF8(clean[:min(len(clean), maxName)], "")
}

// MarkIn returns the first mark in a text, or "".
func MarkIn(text string) string { return mark().FindString(text) }

// MarkAdded returns a mark that occurs more often in a text than before, or "".
func MarkAdded(before, after string) string {
	if !strings.Contains(after, markOpen) {
		return ""
	}
	for _, m := range mark().FindAllString(after, -1) {
		if strings.Count(after, m) > strings.Count(before, m) {
			return m
		}
	}
	return ""
}
