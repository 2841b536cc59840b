package execution

import (
	"forge/engine/event"
	"forge/engine/mode"
	"forge/memory"
)

// class is what kind of work the run is taken for, by rules alone: it is the same in every execution of the run.
func (p Params) class() mode.Class {
	return mode.Classify(mode.Request{Text: p.Task, Focus: p.Focus.Path, Kind: mode.Recipe(p.Recipe).Kind()})
}

// intent is the kind and the scope of the task, as lessons are kept under.
func (p Params) intent() string {
	c := p.class()
	return memory.Key(string(c.Kind), c.Scope)
}

// Classify says what kind of work a task is, by rules alone; path is what the user points at, and may be empty.
func Classify(task, path string) event.Class {
	return Params{Task: task, Focus: Focus{Path: path}}.kindOfWork()
}

// kindOfWork is the class as it is told.
func (p Params) kindOfWork() event.Class {
	c := p.class()
	return event.Class{Kind: string(c.Kind), Confidence: c.Confidence, Certainty: string(c.Certainty()), Scope: c.Scope, RequiresTests: c.RequiresTests, RequiresReview: c.RequiresReview}
}

// begun is the header of the run.
func (l *Execution) begun() event.RunStarted {
	return event.RunStarted{Task: l.params.Task, Folder: l.params.Root, Model: l.model, Class: l.params.kindOfWork(), Way: l.params.Way()}
}
