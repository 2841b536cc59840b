package pipeline

import (
	"fmt"

	"forge/engine/mode"
	"forge/engine/step"
)

// way decides how the change of the run is asked for.
func (m *module) way() mode.Way {
	way := mode.Choose(m.task.Profile, m.task.Mode, m.recipe(), !m.task.NoTests)
	if m.joins || len(m.Project.Suites) == 0 { // its tests are those of its parts, or nothing would run them
		way.RedTests = false
	}
	return way
}

// recipe is the kind of work that the module is.
func (m *module) recipe() Recipe {
	if m.part != nil && m.part.Type != "" {
		return Recipe(m.part.Type)
	}
	return m.task.Recipe
}

// What a run may have where nothing else is said: exchanges with models, and tools used in turns.
const (
	DefaultSteps     = 50
	DefaultToolCalls = 100
)

// count counts an exchange with a model that is about to be. Where there may be no more, a person must say so: each time the run
// is tried again there may be as many.
func (m *module) count() step.Outcome {
	most := m.most * (1 + len(m.Retries))
	if m.steps >= most {
		return step.Outcome{Signal: step.NeedsHuman, Reason: fmt.Sprintf("%s. Resume the run, and it may have as many again", m.spent(most))}
	}
	m.steps++
	return step.Outcome{}
}

// spent says that all exchanges were had.
func (m *module) spent(most int) string {
	if len(m.parts) == 0 {
		return fmt.Sprintf("the run has had all %d exchanges with models that it may have (limits.steps)", most)
	}
	who := "the whole of the plan"
	if m.id != "" {
		who = m.id
	}
	return fmt.Sprintf("%s has had all of its share of exchanges with models, %d (limits.steps, divided among the parts)", who, most)
}
