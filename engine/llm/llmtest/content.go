package llmtest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// content is a message's text, which may come as a string or as a list of parts.
type content string

// UnmarshalJSON implements json.Unmarshaler.
func (c *content) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*c = content(text)
		return nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return fmt.Errorf("a message's content is neither a text nor a list of parts: %w", err)
	}
	var joined strings.Builder
	for _, part := range parts {
		joined.WriteString(part.Text)
	}
	*c = content(joined.String())
	return nil
}

// notA says that a body is no request of a kind.
func notA(kind string, err error) error { return fmt.Errorf("the request is not a %s: %w", kind, err) }
