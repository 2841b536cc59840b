package api

import "forge/engine/event"

// ErrorData is the data of the error that answers a command, if what gets the user past the error is known.
type ErrorData struct {
	Remedy event.Remedy `json:"remedy" enum:"key,model,limit,trust,task,wait,answer" doc:"what gets the user past the error; ignore others, which newer versions add"`
}
