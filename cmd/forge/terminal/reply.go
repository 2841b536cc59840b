package terminal

import (
	"fmt"

	"forge/engine/event"
)

// affirming describes how to answer yes once the run has ended with the default, which is not yes; empty if no words do.
func affirming(q event.Question) string {
	if yes, is := q.Chosen("yes"); !is || yes == q.Default || q.Kind != event.AskUnblock || q.FreeText == "" {
		return ""
	}
	return fmt.Sprintf(". To say yes once the run has ended: forge resume %s --answer yes", q.RunID)
}
