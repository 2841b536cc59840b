package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
)

// refuses is the script of a run that is blocked before anything is done.
const refuses = `
- {match: {node: orchestrator}, reply: {json: {action: done, reason: It is there already.}}}`

// tasks are those that a command lists.
func (w *world) tasks(args ...string) []api.TaskInfo {
	w.t.Helper()
	return asked[api.TasksResult](w, append([]string{"task"}, args...)...).Tasks
}

// way are the states of a task, first to last.
func way(task api.TaskInfo) string {
	states := []string{"draft"}
	for _, m := range task.Moves {
		states = append(states, m.To)
	}
	return strings.Join(states, " ")
}

// patchesThatNeverFit are answers that cannot be used, each another one, so that a run takes all its attempts and fails.
func patchesThatNeverFit(n int) (script string) {
	for i := range n {
		script += fmt.Sprintf(`
- match: {node: executor, contains: [You implement a change]}
  reply: {json: {explanation: x, files: [], patch: "*** Begin Patch\n*** Update File: sum.go\n@@\n-not there %d\n+four\n*** End Patch", blocked: ""}}`, i)
	}
	return script
}

// Each run has a task; an ended task can be searched for, forked, restarted and deleted.
func TestTasksCommand_ManagesTasksOfRuns(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+writeTests+patchesThatNeverFit(9)+whole+refuses, sumModule())
	code, _, stderr := w.run("run", "--trust", "--yes", "add Add in vain")
	require.Equal(t, 1, code, stderr)
	code, _, stderr = w.run("run", "--yes", "add Add")
	require.Zero(t, code, stderr)

	runs, tasks := asked[api.RunsResult](w, "runs").Runs, w.tasks("list")
	require.Len(t, tasks, 2)
	good, bad := tasks[0], tasks[1]
	require.Equal(t, []string{"add Add", "completed", runs[0].RunID}, []string{good.Title, good.State, good.RunID})
	require.Equal(t, []string{"add Add in vain", "failed", runs[1].RunID}, []string{bad.Title, bad.State, bad.RunID})
	require.Equal(t, tasks[1:], w.tasks("list", "--state", "failed"))
	require.Equal(t, tasks[1:], w.tasks("search", "IN", "vain"))
	require.Empty(t, w.tasks("search", "100%"))
	require.Equal(t, "draft planned approved scheduled running verifying completed", way(asked[api.TaskInfo](w, "task", "show", good.ID)))
	require.Equal(t, "draft planned approved scheduled running failed", way(asked[api.TaskInfo](w, "task", "show", bad.ID)))
	_, stdout, _ := w.run("task", "show", bad.ID)
	require.Contains(t, stdout, bad.ID+" is failed: add Add in vain\n  its run is "+bad.RunID)
	_, stdout, _ = w.run("task", "list")
	require.Contains(t, stdout, bad.ID+"  failed ")

	w.begunAnew(good, bad)
	w.played()
}

// begunAnew forks a task and restarts another one, and checks that each allows only valid transitions.
func (w *world) begunAnew(good, bad api.TaskInfo) {
	w.t.Helper()
	require.Equal(w.t, "forge: state_invalid: task "+good.ID+" is completed and cannot become cancelled: it has ended, and only resuming it "+
		"makes it a draft again\n", w.refused(1, "task", "cancel", good.ID))
	require.Contains(w.t, w.refused(1, "run", "--task", good.ID), "state_invalid: task "+good.ID+" is completed and cannot become planned")

	fork := asked[api.TaskInfo](w, "task", "fork", bad.ID)
	require.Equal(w.t, []string{"draft", bad.ID, bad.Prompt, ""}, []string{fork.State, fork.Parent, fork.Prompt, fork.RunID})
	require.Contains(w.t, w.refused(1, "task", "resume", fork.ID), "is draft and cannot become draft, for only a task that has ended or is blocked "+
		"can be resumed: from there it can become planned or cancelled or completed or failed")
	require.Equal(w.t, "cancelled", asked[api.TaskInfo](w, "task", "cancel", fork.ID).State)

	code, stdout, stderr := w.run("task", "resume", bad.ID, "--yes")
	require.Zero(w.t, code, stderr)
	require.Equal(w.t, bad.ID+" is draft\n", stdout)
	require.Equal(w.t, "[forge] a draft is not started, so it does not use --yes: leave it out\n[forge] to start it: forge run --task "+bad.ID+"\n", stderr)
	require.Contains(w.t, w.refused(2, "run", "--task", bad.ID, "add Add"), "has its own task")
	code, _, stderr = w.run("run", "--yes", "--task", bad.ID)
	require.Equal(w.t, 3, code, stderr)
	again := asked[api.TaskInfo](w, "task", "show", bad.ID)
	require.Equal(w.t, "draft planned approved scheduled running failed draft planned blocked", way(again))
	require.NotEqual(w.t, bad.RunID, again.RunID)
	require.Len(w.t, w.tasks("list"), 3, "the run that does a draft makes no other task")

	require.Equal(w.t, bad.ID, asked[api.TaskDeleted](w, "task", "delete", bad.ID).ID)
	require.Contains(w.t, w.refused(1, "task", "show", bad.ID), "unknown task "+bad.ID+": forge task list shows")
	require.Equal(w.t, bad.ID, asked[api.TaskInfo](w, "task", "show", fork.ID).Parent, "what was forked stays")
}

// A task whose run was cut off reports that, and is resumed by its own name as the run would be by its: --yes approves the specification, too.
func TestTasksCommand_ResumesAnInterruptedTask(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideSpec+writeSpec+writeTests+writeRight+reviewPass, sumModule())
	id := w.cutOff(w.launch("run", "--trust", "--json", "add Add"), "graph")
	task := w.tasks("list")[0]
	require.Equal(t, []string{id, "interrupted"}, []string{task.RunID, task.RunState})
	code, stdout, stderr := w.run("task", "resume", task.ID, "--yes", "--json")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, `"type":"run.resumed"`)
	w.played() // each call once
	require.Equal(t, "draft planned approved scheduled running verifying completed", way(asked[api.TaskInfo](w, "task", "show", task.ID)))
	require.Len(t, w.tasks("list"), 1)
}

// Cancelling a task stops its run, in whatever process it is, or in none.
func TestTasksCommand_CancelStopsTheRun(t *testing.T) {
	t.Parallel()
	w := scripted(t, absentModel, sumModule())
	w.cut("graph")
	cutOff := w.tasks("list")[0]
	require.Equal(t, "cancelled", asked[api.TaskInfo](w, "task", "cancel", cutOff.ID).State)

	l := w.start("add Add")
	l.until("graph")
	task := w.tasks("list")[0]
	require.Equal(t, []string{"planned", "running"}, []string{task.State, task.RunState})
	require.Contains(t, w.refused(1, "task", "delete", task.ID), "cancel it before you delete it")
	require.Contains(t, w.refused(1, "task", "resume", task.ID), "state_invalid")
	require.Equal(t, "cancelled", asked[api.TaskInfo](w, "task", "cancel", task.ID).State)
	code, _ := l.end()
	require.Equal(t, 4, code)
	require.Equal(t, []string{"cancelled", "cancelled"}, statesOf(asked[api.RunsResult](w, "runs").Runs))

	killed := w.cut("graph")
	require.Equal(t, "cancelled", asked[api.StateResult](w, "kill", killed).State)
	require.Equal(t, "cancelled", w.tasks("list")[0].State, "and killing a run cancels its task")
}

// An empty or unknown task name is an error.
func TestTasksCommand_RejectsUnknownTasks(t *testing.T) {
	t.Parallel()
	w := scripted(t, whole, nil)
	for call, says := range map[string]string{
		"task list --state done": "--state done: want one of draft, planned",
		"task search":            "the text is missing",
		"task show":              "want 1, as in",
		"task fork a b":          "want 1, as in",
	} {
		require.Contains(t, w.refused(2, strings.Fields(call)...), says)
	}
	for _, call := range []string{"task show", "task resume", "task fork", "task cancel", "task delete", "run --task"} {
		require.Contains(t, w.refused(1, append(strings.Fields(call), "task_000000000000")...), "unknown task task_000000000000", call)
	}
	_, stdout, stderr := w.run("task", "list")
	require.Empty(t, stdout)
	require.Contains(t, stderr, "no such task in ")
}
