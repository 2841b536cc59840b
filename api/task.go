package api

// TaskListArgs filter tasks.
type TaskListArgs struct {
	State string `json:"state,omitempty" doc:"only tasks in this state" enum:"draft,planned,approved,scheduled,running,verifying,completed,failed,blocked,cancelled"`
	Limit int    `json:"limit,omitempty" doc:"without it all"`
	InFolder
}

// TaskSearchArgs search tasks for a text.
type TaskSearchArgs struct {
	Text  string `json:"text" doc:"ASCII letters match in any case"`
	Limit int    `json:"limit,omitempty" doc:"without it all"`
	InFolder
}

// TaskArgs name a task.
type TaskArgs struct {
	ID string `json:"id" doc:"such as task_0123456789ab"`
	InFolder
}

// TaskMoveArgs name a task and its new state.
type TaskMoveArgs struct {
	ID string `json:"id" doc:"such as task_0123456789ab"`
	To string `json:"to" doc:"only runs set the other states" enum:"cancelled"`
	InFolder
}

// TaskResumeArgs name a task to continue.
type TaskResumeArgs struct {
	ID   string `json:"id" doc:"such as task_0123456789ab"`
	Wait bool   `json:"wait,omitempty" doc:"if a run is resumed, keep the request open until it has ended"`
	InFolder
}

// TasksResult lists tasks, last changed first.
type TasksResult struct {
	Tasks []TaskInfo `json:"tasks"`
}

// TaskInfo is one task.
type TaskInfo struct {
	ID       string     `json:"id"`
	Title    string     `json:"title"`
	State    string     `json:"state" enum:"draft,planned,approved,scheduled,running,verifying,completed,failed,blocked,cancelled"`
	RunID    string     `json:"runId,omitempty" doc:"its current or last run"`
	RunState string     `json:"runState,omitempty" doc:"of a running task: state of its run; missing if the run no longer exists" enum:"running,waiting,succeeded,blocked,failed,cancelled,interrupted"`
	Parent   string     `json:"parent,omitempty" doc:"the task it was forked from"`
	Created  string     `json:"created" doc:"RFC 3339, UTC"`
	Updated  string     `json:"updated" doc:"RFC 3339, UTC"`
	Prompt   string     `json:"prompt" doc:"the request; secrets are replaced by placeholders"`
	Moves    []TaskMove `json:"moves,omitempty" doc:"of forge.task.show: its state changes, oldest first"`
}

// TaskMove is one change of a task's state.
type TaskMove struct {
	From   string `json:"from" enum:"draft,planned,approved,scheduled,running,verifying,completed,failed,blocked,cancelled"`
	To     string `json:"to" enum:"draft,planned,approved,scheduled,running,verifying,completed,failed,blocked,cancelled"`
	TS     string `json:"ts" doc:"RFC 3339, UTC"`
	Source string `json:"source" doc:"who changed it, for display"`
}

// TaskResumed reports how a task continues.
type TaskResumed struct {
	Task TaskInfo   `json:"task"`
	Run  *RunResult `json:"run,omitempty" doc:"the resumed run; without it the task is a draft"`
}

// TaskDeleted reports what was deleted.
type TaskDeleted struct {
	ID string `json:"id"`
}
