package rust

import (
	"encoding/json"
	"strings"
)

// rendered is what the compiler would have shown on a terminal.
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
