package pipeline

import (
	"forge/engine/mode"
)

// way decides how the change of the run is asked for.
func (j *job) way() mode.Way {
	way := mode.Choose(j.run.task.Profile, j.run.task.Mode, j.recipe(), !j.run.task.NoTests)
	if j.joins || len(j.run.Project.Suites) == 0 { // its tests are those of its parts, or nothing would run them
		way.RedTests = false
	}
	return way
}

// recipe is the kind of work that the module is.
func (j *job) recipe() Recipe {
	if j.part != nil && j.part.Type != "" {
		return Recipe(j.part.Type)
	}
	return j.run.task.Recipe
}
