package server

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/jsonrpc2"

	"forge/api"
)

// A task that a session left behind is resumed by the next one under its own name; a fork runs its text again.
func TestServer_NextSessionResumesTheTask(t *testing.T) {
	t.Parallel()
	before, id := interrupted(t)
	d := start(t, setting{after: before, script: afterDecision + refuses, params: rich, answer: choosing()})
	tasks := ask[api.TasksResult](d, api.ListTasks, api.TaskListArgs{}).Tasks
	require.Len(t, tasks, 1)
	require.Equal(t, []string{id, "interrupted"}, []string{tasks[0].RunID, tasks[0].RunState})

	resumed := ask[api.TaskResumed](d, api.ResumeTask, api.TaskResumeArgs{ID: tasks[0].ID, Wait: true})
	require.NotNil(t, resumed.Run)
	require.Equal(t, []string{id, "succeeded"}, []string{resumed.Run.RunID, resumed.Run.State})
	require.Equal(t, "completed", ask[api.TaskInfo](d, api.ShowTask, api.TaskArgs{ID: tasks[0].ID}).State)

	fork := ask[api.TaskInfo](d, api.ForkTask, api.TaskArgs{ID: tasks[0].ID})
	require.Equal(t, []string{"draft", tasks[0].ID}, []string{fork.State, fork.Parent})
	run, err := d.run(api.RunArgs{TaskID: fork.ID})
	require.NoError(t, err)
	require.Equal(t, "blocked", run.State)
	require.NoError(t, d.script.Verify(), "the fork was begun, and nothing else")
	moved := ask[api.TaskInfo](d, api.ShowTask, api.TaskArgs{ID: fork.ID})
	require.Equal(t, []string{run.RunID, "blocked"}, []string{moved.RunID, moved.State})
}

// refuses is the script of a run that is blocked before anything is done.
const refuses = `
- {match: {node: orchestrator}, reply: {json: {action: done, reason: It is there already.}}}
`

// A task makes only valid transitions, and an invalid one fails with the list of the valid ones.
func TestServer_InvalidTaskTransitionListsTheValidOnes(t *testing.T) {
	t.Parallel()
	before, id := interrupted(t)
	d := start(t, setting{after: before, params: rich, answer: choosing()})
	task := ask[api.TasksResult](d, api.SearchTasks, api.TaskSearchArgs{Text: "add sub"}).Tasks[0]
	require.Equal(t, "cancelled", ask[api.TaskInfo](d, api.MoveTask, api.TaskMoveArgs{ID: task.ID, To: "cancelled"}).State)
	require.Equal(t, "cancelled", ask[api.StateResult](d, api.Kill, api.KillArgs{RunID: id}).State, "its run is, too")

	var wire *jsonrpc2.Error
	for name, c := range map[string]struct {
		command string
		args    any
		says    string
	}{
		"cancelled twice":    {api.MoveTask, api.TaskMoveArgs{ID: task.ID, To: "cancelled"}, "state_invalid: task " + task.ID + " is cancelled and cannot become cancelled: it has ended"},
		"moved by hand":      {api.MoveTask, api.TaskMoveArgs{ID: task.ID, To: "completed"}, `to: "completed" is not allowed`},
		"moved nowhere":      {api.MoveTask, api.TaskArgs{ID: task.ID}, "to: is required"},
		"begun at its end":   {api.Run, api.RunArgs{TaskID: task.ID}, "state_invalid"},
		"two tasks":          {api.Run, api.RunArgs{TaskID: task.ID, Task: "add Sub"}, "taskId: cannot be combined with task"},
		"no task named":      {api.ForkTask, api.TaskArgs{}, "the task id is missing"},
		"no such task":       {api.ShowTask, api.TaskArgs{ID: "task_000000000000"}, "task_000000000000: not found"},
		"no text to look up": {api.SearchTasks, api.TaskSearchArgs{}, "text: is required"},
		"no such state":      {api.ListTasks, api.TaskListArgs{State: "done"}, `state: "done" is not allowed`},
	} {
		require.ErrorAs(t, d.execute(c.command, c.args, nil), &wire, name)
		require.EqualValues(t, -32602, wire.Code, "%s: %s", name, wire.Message)
		require.Contains(t, wire.Message, c.says, name)
	}
	draft := ask[api.TaskResumed](d, api.ResumeTask, api.TaskResumeArgs{ID: task.ID})
	require.Nil(t, draft.Run)
	require.Equal(t, "draft", draft.Task.State)
	require.Equal(t, task.ID, ask[api.TaskDeleted](d, api.DeleteTask, api.TaskArgs{ID: task.ID}).ID)
	require.Empty(t, ask[api.TasksResult](d, api.ListTasks, api.TaskListArgs{}).Tasks)
}
