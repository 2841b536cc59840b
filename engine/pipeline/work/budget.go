package work

import (
	"fmt"

	"forge/engine/step"
)

// Budget is what a module may use, and what it has used of that.
type Budget struct {
	run *Run
	job *Job

	Most    int // exchanges with models that it may have; see count
	Tools   int // tools that it may use
	Steps   int // exchanges with models that it has had
	Calls   int // tools that it has used
	Network int // those of them that left the machine
}

// Count counts an exchange with a model that is about to be. Where there may be no more, the user must say so: each time the run
// is tried again there may be as many.
func (b *Budget) Count() step.Outcome {
	most := b.Most * (1 + len(b.run.Retries))
	if b.Steps >= most {
		return step.Outcome{Signal: step.NeedsHuman, Reason: fmt.Sprintf("%s. Resume the run, and it may have as many again", b.spent(most))}
	}
	b.Steps++
	return step.Outcome{}
}

// spent says that all exchanges were had.
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
