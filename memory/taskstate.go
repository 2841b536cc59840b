package memory

import (
	"fmt"
	"slices"
	"strings"
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

// TaskStates are all of them, in the order of a task that succeeds; then the other ends.
var TaskStates = []TaskState{
	TaskDraft, TaskPlanned, TaskApproved, TaskScheduled, TaskRunning, TaskVerifying, TaskCompleted, TaskFailed, TaskBlocked, TaskCancelled,
}

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

// UnderWay reports whether a run has the task, and is to take it further.
func (s TaskState) UnderWay() bool { return s != TaskDraft && s != TaskBlocked && !s.terminal() }

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
	text := fmt.Sprintf("%s: task %s is %s and cannot become %s", CodeStateInvalid, e.Task, e.From, e.To)
	if e.To == TaskDraft {
		text += ", for only a task that has ended or is blocked can be resumed"
	}
	return text + ": " + e.From.possible()
}

// possible says, for people, where a task can go from a state.
func (s TaskState) possible() string {
	if s.terminal() {
		return "it has ended, and only resuming it makes it a draft again"
	}
	var all []string
	for _, to := range taskMoves[s] {
		all = append(all, string(to))
	}
	if s == TaskBlocked {
		all = append(all, "draft when it is resumed")
	}
	return "from there it can become " + strings.Join(all, " or ")
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
