package llm

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Prose is an answer in free text, for the user: Markdown. Whoever asks for it sends no schema.
type Prose string

// errEmpty says that there is nothing to read.
var errEmpty = errors.New("it is empty")

// ReadProse gives the text of an answer without what a model thought aloud before it.
func ReadProse(text string) (Prose, error) {
	if !utf8.ValidString(text) {
		return "", fmt.Errorf("read the answer: %w", errEncoding)
	}
	said, err := withoutThinking(text)
	if err == nil && strings.TrimSpace(said) == "" {
		err = errEmpty
	}
	if err != nil {
		return "", fmt.Errorf("read the answer: %w", err)
	}
	return Prose(strings.TrimSpace(said) + "\n"), nil
}
