package work

import (
	"fmt"

	"forge/engine/permission"
	"forge/engine/step"
)

// Budget is what a module may use, and has used.
type Budget struct {
	run *Run
	job *Job

	Most    int // limit of exchanges with models; see Count
	Tools   int // limit of tool calls
	Steps   int // exchanges with models so far
	Calls   int // tool calls so far
	Network int // those of them that left the machine

	made    map[string]int // tool calls, by the call and the state of the tree that it was made on
	repeats int            // of the last one
}

// Repeat counts a tool call, and returns how often the same was made before with nothing changed since.
func (b *Budget) Repeat(now *Attempt, call string) int {
	if b.made == nil {
		b.made = map[string]int{}
	}
	key := fmt.Sprintf("%d/%d/%s", now.Number, len(now.Tree.Changes), call)
	b.repeats = b.made[key]
	b.made[key]++
	return b.repeats
}

// InCircle reports whether the last tool call was one too many of the same.
func (b *Budget) InCircle() bool { return b.repeats >= permission.Circle-1 }

// Count counts an exchange with a model before it is made. At the limit the user must resume the run: each retry may have as
// many again.
func (b *Budget) Count() step.Outcome {
	most := b.Most * (1 + len(b.run.Retries))
	if b.Steps >= most {
		return step.Outcome{Signal: step.NeedsHuman, Reason: fmt.Sprintf("%s. Resume the run, and it may have as many again", b.spent(most))}
	}
	b.Steps++
	return step.Outcome{}
}

// LeastShare is the least number of exchanges for a part: tests, an implementation, a review, and one to spare.
const LeastShare = 4

// Left returns the exchanges that are left without those of retries, so that a resumed run decides by it as before.
func (b *Budget) Left() int { return b.Most - b.Steps }

// spent returns the message for used-up exchanges.
func (b *Budget) spent(most int) string {
	if len(b.run.Parts) == 0 {
		return fmt.Sprintf("the run has had all %d exchanges with models that it may have (limits.steps)", most)
	}
	who := "the whole of the plan"
	if b.job.ID != "" {
		who = b.job.ID
	}
	return fmt.Sprintf("%s has had all of its share of exchanges with models, %d (limits.steps, divided among the parts)", who, most)
}
