package pipeline

import (
	"forge/engine/mode"
	"forge/engine/pipeline/judge"
	"forge/engine/pipeline/work"
)

// What a run is given, and what its end hands on: package work has them, since all that works on a run knows them.
type (
	// Env is what a run works with.
	Env = work.Env
	// Task is what the user asked for.
	Task = work.Task
	// Project is what Forge knows of what is in a tree.
	Project = work.Project
	// Focus is what the user pointed at.
	Focus = work.Focus
	// Planning is whether and how a task is cut into parts.
	Planning = work.Planning
	// Action is a tool to be used, and its arguments.
	Action = work.Action
	// Spec is the specification of a change.
	Spec = work.Spec
	// Retry is the user's wish that a failed run goes on.
	Retry = work.Retry
	// Recipe is the kind of work.
	Recipe = mode.Recipe
)

// What holds of a run where nothing else is said.
const (
	DefaultAttempts = work.DefaultAttempts
	DefaultRounds   = work.DefaultRounds
	DefaultTasks    = work.DefaultTasks
	DefaultWriters  = work.DefaultWriters
	// Waived is the summary of a gate that is not run because the user's settings waive it.
	Waived = work.Waived
	// ReviewName is what reports call the reviewer.
	ReviewName = judge.ReviewName
)
