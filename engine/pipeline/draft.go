package pipeline

import (
	"fmt"

	"forge/engine/gate"
	"forge/engine/integrity"
	"forge/engine/overseer"
	"forge/engine/step"
	"forge/patch"
)

// draft is what one attempt has made, whether it was accepted or not.
type draft struct {
	attempt int
	tree    step.State // as the attempt left it
	changes patch.ChangeSet
	tests   *patch.ChangeSet // those that were seen red for it
	red     integrity.Reds
	broken  bool          // a file that it changes cannot be parsed
	checked []gate.Report // what gates decided; nil where none was run
	refused string        // what the reviewer has against it; empty where the reviewer said nothing against it
	reason  string        // why the attempt was not accepted; empty where that is not known yet
}

// passed is how many checks of the draft pass.
func (d draft) passed() int { return overseer.AttemptOf(deciding(d.checked)).Passed }

// doubtsAbout says in lines what speaks against a draft, or why nothing speaks for it. why is how its run ended.
func (d draft) doubtsAbout(why string) []string {
	var lines []string
	for _, r := range d.checked {
		if r.Verdict != gate.Pass && r.Decides() {
			lines = append(lines, fmt.Sprintf("%s: %s: %s", r.Gate, r.Verdict, firstOf(r.Summary)))
		}
	}
	if d.refused != "" {
		lines = append(lines, "review: "+firstOf(d.refused))
	}
	if len(lines) == 0 && d.reason != "" {
		lines = append(lines, firstOf(d.reason))
	}
	if len(d.checked) == 0 {
		lines = append(lines, "no check has run on this change")
	}
	if len(lines) == 0 || len(d.checked) == 0 && d.reason == "" {
		lines = append(lines, firstOf(why))
	}
	return lines
}
