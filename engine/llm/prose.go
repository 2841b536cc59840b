package llm

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Prose is an answer in free text, for the user: Markdown. Such a request has no schema.
type Prose string

// errEmpty means that the answer is empty.
var errEmpty = errors.New("it is empty")

// ReadProse returns the text of an answer without the model's leading thoughts.
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
