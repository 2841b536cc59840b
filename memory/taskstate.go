package memory

import (
	"fmt"
	"slices"
)

// TaskState is where a task stands.
type TaskState string

// The ten states. TaskCompleted, Failed and TaskCancelled are terminal.
const (
	TaskDraft     TaskState = "draft"
	TaskPlanned   TaskState = "planned"
	TaskApproved  TaskState = "approved"
	TaskScheduled TaskState = "scheduled"
	TaskRunning   TaskState = "running"
	TaskVerifying TaskState = "verifying"
	TaskCompleted TaskState = "completed"
	TaskFailed    TaskState = "failed"
	TaskBlocked   TaskState = "blocked"
	TaskCancelled TaskState = "cancelled"
)

// taskMoves is the table of legal moves. The way back to draft is not in it: that is ResumeTask alone.
var taskMoves = map[TaskState][]TaskState{
	TaskDraft:     {TaskPlanned, TaskCancelled, TaskCompleted, TaskFailed}, // a conversation ends without a plan
	TaskPlanned:   {TaskApproved, TaskCancelled, TaskBlocked},
	TaskApproved:  {TaskScheduled, TaskCancelled},
	TaskScheduled: {TaskRunning, TaskCancelled, TaskBlocked},
	TaskRunning:   {TaskVerifying, TaskFailed, TaskBlocked, TaskCancelled},
	TaskVerifying: {TaskCompleted, TaskFailed, TaskRunning}, // the reviewer bounces
	TaskBlocked:   {TaskCancelled},
	TaskCompleted: {},
	TaskFailed:    {},
	TaskCancelled: {},
}

// terminal reports whether a task in the state has ended.
func (s TaskState) terminal() bool {
	return s == TaskCompleted || s == TaskFailed || s == TaskCancelled
}

// CodeStateInvalid is the code of a StateError, for programs.
const CodeStateInvalid = "state_invalid"

// StateError is a move of a task that its state does not allow.
type StateError struct {
	Task     ID
	From, To TaskState
}

// Code is always CodeStateInvalid.
func (e *StateError) Code() string { return CodeStateInvalid }

func (e *StateError) Error() string {
	if e.To == TaskDraft {
		return fmt.Sprintf("%s: task %s is %s: only a task that has ended or is blocked can be resumed", CodeStateInvalid, e.Task, e.From)
	}
	return fmt.Sprintf("%s: task %s is %s and cannot become %s", CodeStateInvalid, e.Task, e.From, e.To)
}

// checkMove refuses a move that is not in the table.
func checkMove(task ID, from, to TaskState) error {
	if !slices.Contains(taskMoves[from], to) {
		return &StateError{Task: task, From: from, To: to}
	}
	return nil
}

// checkResume refuses to resume a task that goes on anyway.
func checkResume(task ID, from TaskState) error {
	if !from.terminal() && from != TaskBlocked {
		return &StateError{Task: task, From: from, To: TaskDraft}
	}
	return nil
}
