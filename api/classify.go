package api

import (
	"forge/engine/execution"
)

// ClassifyArgs asks what kind of work a task is.
type ClassifyArgs struct {
	Task string `json:"task"`
	Path string `json:"path,omitempty" doc:"what the user points at, relative to the folder"`
}

// Classify says what kind of work a task is.
func Classify(a ClassifyArgs) Class { return execution.Classify(a.Task, a.Path) }
