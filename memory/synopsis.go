package memory

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"forge/memory/words"
)

// synopsisLimit is how many characters are left of what happened, after thirty days.
const synopsisLimit = 500

// synopsis is what is left of a text: its beginning and its end in one line, with a sign where the rest was. It is a function of the text alone, and a synopsis is its own synopsis.
func synopsis(text string) string {
	line := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " "))
	if len(line) <= synopsisLimit {
		return string(line)
	}
	const gap, tail = " […] ", 150
	head := synopsisLimit - tail - utf8.RuneCountInString(gap)
	return strings.TrimRight(string(line[:head]), " ") + gap + strings.TrimLeft(string(line[len(line)-tail:]), " ")
}

// synopsisOf reduces a JSON value. A value that is short already, however it is made up, stays as it is.
func synopsisOf(value json.RawMessage) json.RawMessage {
	if utf8.RuneCount(value) <= synopsisLimit {
		return value
	}
	return JSON(synopsis(words.JSONText(value)))
}
