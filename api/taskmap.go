package api

import (
	"forge/engine/history"
	"forge/memory"
)

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
