package terminal

import (
	"fmt"

	"forge/engine/event"
)

// TellUnused says, after a run, that --answer has answered no question.
func (d *Dialogue) TellUnused() {
	if d.Reply.Unused() {
		fmt.Fprintln(d.Err, "[forge] --answer was not used: the run asked nothing that it answers")
	}
}

// affirming describes how to answer yes once the run has ended with the default, which is not yes; empty if no words do.
func affirming(q event.Question) string {
	if yes, is := q.Chosen("yes"); !is || yes == q.Default || q.Kind != event.AskUnblock || q.FreeText == "" {
		return ""
	}
	return fmt.Sprintf(". To say yes once the run has ended: forge resume %s --answer yes", q.RunID)
}
