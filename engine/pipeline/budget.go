package pipeline

import (
	"fmt"

	"forge/engine/step"
)

// budget is what a module may use, and what it has used of that.
type budget struct {
	run *run
	job *job

	most   int // exchanges with models that it may have; see count
	tools  int // tools that it may use
	steps  int // exchanges with models that it has had
	calls  int // tools that it has used
	abroad int // those of them that left the machine
}

// count counts an exchange with a model that is about to be. Where there may be no more, the user must say so: each time the run
// is tried again there may be as many.
func (b *budget) count() step.Outcome {
	most := b.most * (1 + len(b.run.Retries))
	if b.steps >= most {
		return step.Outcome{Signal: step.NeedsHuman, Reason: fmt.Sprintf("%s. Resume the run, and it may have as many again", b.spent(most))}
	}
	b.steps++
	return step.Outcome{}
}

// spent says that all exchanges were had.
func (b *budget) spent(most int) string {
	if len(b.run.parts) == 0 {
		return fmt.Sprintf("the run has had all %d exchanges with models that it may have (limits.steps)", most)
	}
	who := "the whole of the plan"
	if b.job.id != "" {
		who = b.job.id
	}
	return fmt.Sprintf("%s has had all of its share of exchanges with models, %d (limits.steps, divided among the parts)", who, most)
}
