package api

import (
	"forge/engine/history"
	"forge/memory"
)

// TaskListArgs choose tasks.
type TaskListArgs struct {
	State string `json:"state,omitempty" doc:"only those in it" enum:"draft,planned,approved,scheduled,running,verifying,completed,failed,blocked,cancelled"`
	Limit int    `json:"limit,omitempty" doc:"without it all"`
	InFolder
}

// TaskSearchArgs say which tasks to find.
type TaskSearchArgs struct {
	Text  string `json:"text" doc:"in any case of ASCII letters"`
	Limit int    `json:"limit,omitempty" doc:"without it all"`
	InFolder
}

// TaskArgs name a task.
type TaskArgs struct {
	ID string `json:"id" doc:"such as task_0123456789ab"`
	InFolder
}

// TaskMoveArgs say where a task is to be moved.
type TaskMoveArgs struct {
	ID string `json:"id" doc:"such as task_0123456789ab"`
	To string `json:"to" doc:"the other states are those that runs bring about" enum:"cancelled"`
	InFolder
}

// TaskResumeArgs name a task to go on with.
type TaskResumeArgs struct {
	ID   string `json:"id" doc:"such as task_0123456789ab"`
	Wait bool   `json:"wait,omitempty" doc:"if a run is resumed, keep the request open until it has ended"`
	InFolder
}

// TasksResult lists tasks, the last changed first.
type TasksResult struct {
	Tasks []TaskInfo `json:"tasks"`
}

// TaskInfo is one task.
type TaskInfo struct {
	ID       string     `json:"id"`
	Title    string     `json:"title"`
	State    string     `json:"state" enum:"draft,planned,approved,scheduled,running,verifying,completed,failed,blocked,cancelled"`
	RunID    string     `json:"runId,omitempty" doc:"the run that has it, or had it last"`
	RunState string     `json:"runState,omitempty" doc:"of a task that is under way: how its run stands; without it the run is gone" enum:"running,waiting,succeeded,blocked,failed,cancelled,paused,interrupted"`
	Parent   string     `json:"parent,omitempty" doc:"the task it was forked from"`
	Created  string     `json:"created" doc:"RFC 3339, UTC"`
	Updated  string     `json:"updated" doc:"RFC 3339, UTC"`
	Prompt   string     `json:"prompt" doc:"what is to be done; secrets in it are replaced by marks"`
	Moves    []TaskMove `json:"moves,omitempty" doc:"of forge.task.show: how it got where it is, oldest first"`
}

// TaskMove is one change of a task's state.
type TaskMove struct {
	From   string `json:"from" enum:"draft,planned,approved,scheduled,running,verifying,completed,failed,blocked,cancelled"`
	To     string `json:"to" enum:"draft,planned,approved,scheduled,running,verifying,completed,failed,blocked,cancelled"`
	TS     string `json:"ts" doc:"RFC 3339, UTC"`
	Source string `json:"source" doc:"who moved it, for people"`
}

// TaskResumed reports how a task continues.
type TaskResumed struct {
	Task TaskInfo   `json:"task"`
	Run  *RunResult `json:"run,omitempty" doc:"that was resumed; without it the task is a draft"`
}

// TaskDeleted reports what was deleted.
type TaskDeleted struct {
	ID string `json:"id"`
}

// TasksOf returns tasks as they go over the wire.
func TasksOf(tasks []history.TaskInfo) TasksResult { return TasksResult{Tasks: list(tasks, TaskOf)} }

// TaskOf returns a task as it goes over the wire.
func TaskOf(t history.TaskInfo) TaskInfo {
	wire := TaskInfo{
		ID: string(t.ID), Title: t.Title, Prompt: t.Prompt, State: string(t.State), RunID: t.Source.Run, RunState: string(t.Stands),
		Parent: string(t.Parent), Created: stamp(t.Created), Updated: stamp(t.Updated),
	}
	if len(t.Moves) > 0 {
		wire.Moves = list(t.Moves, func(m memory.TaskMove) TaskMove {
			return TaskMove{From: string(m.From), To: string(m.To), TS: stamp(m.At), Source: m.Source.String()}
		})
	}
	return wire
}
