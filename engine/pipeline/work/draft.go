package work

import (
	"fmt"

	"forge/engine/gate"
	"forge/engine/integrity"
	"forge/engine/overseer"
	"forge/engine/step"
	"forge/patch"
)

// Draft is the result of one attempt, accepted or not.
type Draft struct {
	Attempt int
	tree    step.State // as the attempt left it
	Changes patch.ChangeSet
	tests   *patch.ChangeSet // those that were seen red for it
	red     integrity.Reds
	broken  bool          // a file that it changes cannot be parsed
	Checked []gate.Report // the gates' decisions; nil if none ran
	Refused string        // the reviewer's objection; empty without one
	reason  string        // why the attempt was not accepted; empty if unknown yet
}

// passed returns how many checks of the draft pass.
func (d Draft) passed() int { return overseer.AttemptOf(Deciding(d.Checked)).Passed }

// DoubtsAbout lists the objections to a draft, or why it is unchecked. why is the end of its run.
func (d Draft) DoubtsAbout(why string) []string {
	var lines []string
	for _, r := range d.Checked {
		if r.Verdict != gate.Pass && r.Decides() {
			lines = append(lines, fmt.Sprintf("%s: %s: %s", r.Gate, r.Verdict, FirstOf(r.Summary)))
		}
	}
	if d.Refused != "" {
		lines = append(lines, "review: "+FirstOf(d.Refused))
	}
	if len(lines) == 0 && d.reason != "" {
		lines = append(lines, FirstOf(d.reason))
	}
	if len(d.Checked) == 0 {
		lines = append(lines, "no check has run on this change")
	}
	if len(lines) == 0 || len(d.Checked) == 0 && d.reason == "" {
		lines = append(lines, FirstOf(why))
	}
	return lines
}
