package rust

import (
	"encoding/json"
	"strings"
)

// rendered returns the compiler's text for a terminal.
func rendered(stdout string) string {
	var out strings.Builder
	for line := range strings.Lines(stdout) {
		var m struct{ Message struct{ Rendered string } }
		if strings.HasPrefix(line, "{") && json.Unmarshal([]byte(line), &m) == nil {
			out.WriteString(m.Message.Rendered)
		}
	}
	return out.String()
}
