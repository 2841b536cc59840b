package terminal

import (
	"encoding/json"
	"io"
	"strings"

	"forge/internal/inert"
)

// WriteJSON writes a value as one line of JSON.
func WriteJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// MaxShownLine bounds a line of a file as people see it, in characters.
const MaxShownLine = 140

// OnOneLine is text of a file as it is shown: inert, on one line, with its indentation, and not too long.
func OnOneLine(text string) string {
	text = strings.NewReplacer("\n", " ", "\t", "    ").Replace(inert.Text(text))
	if runes := []rune(text); len(runes) > MaxShownLine {
		return string(runes[:MaxShownLine-1]) + "…"
	}
	return text
}
