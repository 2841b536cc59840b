package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var taskStates = []TaskState{TaskDraft, TaskPlanned, TaskApproved, TaskScheduled, TaskRunning, TaskVerifying, TaskCompleted, TaskFailed, TaskBlocked, TaskCancelled}

// legalMoves is the table of the state machine, written down a second time and as pairs.
var legalMoves = []string{
	"draft planned", "draft cancelled", "draft completed", "draft failed",
	"planned approved", "planned cancelled", "planned blocked",
	"approved scheduled", "approved cancelled",
	"scheduled running", "scheduled cancelled", "scheduled blocked",
	"running verifying", "running failed", "running blocked", "running cancelled",
	"verifying completed", "verifying failed", "verifying running",
	"blocked cancelled",
}

func TestTasks_EveryMoveIsInTheTableOrStateInvalid(t *testing.T) {
	t.Parallel()
	require.Len(t, taskMoves, 10)
	for _, from := range taskStates {
		for _, to := range append([]TaskState{"", "unknown"}, taskStates...) {
			err := checkMove("task_0123456789ab", from, to)
			if slices.Contains(legalMoves, string(from)+" "+string(to)) {
				require.NoError(t, err)
				continue
			}
			var invalid *StateError
			require.ErrorAs(t, err, &invalid, "%s to %s", from, to)
			require.ErrorContains(t, invalid, "state_invalid: ")
			require.Equal(t, [2]TaskState{from, to}, [2]TaskState{invalid.From, invalid.To})
		}
		resumable := from == TaskCompleted || from == TaskFailed || from == TaskCancelled || from == TaskBlocked
		require.Equal(t, resumable, checkResume("t", from) == nil, from)
	}
}

// A way is legal moves only, and as few as there are; there is one wherever moves lead on, and back to where a task stands there is none.
func TestTasks_WaysThroughTheTable(t *testing.T) {
	t.Parallel()
	for _, from := range taskStates {
		steps := map[TaskState]int{from: 0} // how far each state is, found by going from all that are known once more
		for range taskStates {
			for _, move := range legalMoves {
				was, became, _ := strings.Cut(move, " ")
				if n, known := steps[TaskState(was)]; known {
					if m, there := steps[TaskState(became)]; !there || n+1 < m {
						steps[TaskState(became)] = n + 1
					}
				}
			}
		}
		for _, to := range taskStates {
			way := wayTo(from, to)
			require.Len(t, way, steps[to], "%s to %s", from, to)
			for i, next := range way {
				require.Contains(t, legalMoves, string(append([]TaskState{from}, way...)[i])+" "+string(next))
			}
		}
	}
}

func TestTasks_ATaskIsAdvanced(t *testing.T) {
	t.Parallel()
	p, _ := open(t)
	ctx := t.Context()
	byRun := Source{Origin: User, Run: "r1"}
	task, err := p.CreateTask(ctx, "Parser", "", byRun)
	require.NoError(t, err)
	task, err = p.AdvanceTask(ctx, task.ID, TaskVerifying, byRun)
	require.NoError(t, err)
	require.Equal(t, TaskVerifying, task.State)
	task, err = p.AdvanceTask(ctx, task.ID, TaskBlocked, Source{Origin: User, Run: "r2"})
	require.NoError(t, err)
	why, err := p.Why(ctx, task.ID)
	require.NoError(t, err)
	var states []TaskState
	for _, m := range why.Moves {
		states = append(states, m.To)
	}
	require.Equal(t, []TaskState{TaskPlanned, TaskApproved, TaskScheduled, TaskRunning, TaskVerifying, TaskRunning, TaskBlocked}, states)

	for _, to := range []TaskState{TaskBlocked, TaskRunning, TaskDraft} {
		var invalid *StateError
		_, err = p.AdvanceTask(ctx, task.ID, to, byRun)
		require.ErrorAs(t, err, &invalid)
		require.ErrorContains(t, err, "from there it can become cancelled or draft when it is resumed")
	}
	for _, run := range []string{"r1", "r2"} {
		of, err := p.TaskOf(ctx, run)
		require.NoError(t, err)
		require.Equal(t, [2]string{string(task.ID), "r2"}, [2]string{string(of.ID), of.Source.Run}, "the last run has it")
	}
	_, err = p.TaskOf(ctx, "r3")
	require.ErrorIs(t, err, ErrNotFound)
}

func TestTasks_ATaskFromDraftToEndAndBack(t *testing.T) {
	t.Parallel()
	p, c := open(t)
	ctx := t.Context()
	task, err := p.CreateTask(ctx, "Fix 100% of it", "the parser_", byUser)
	require.NoError(t, err)
	require.Regexp(t, `^task_[0-9a-f]{12}$`, task.ID)
	require.Equal(t, TaskDraft, task.State)
	byRun := Source{Origin: Gate, Run: "r1", Node: "review"}
	for _, to := range []TaskState{TaskPlanned, TaskApproved, TaskScheduled, TaskRunning, TaskVerifying, TaskRunning, TaskVerifying, TaskCompleted} {
		c.add(day)
		task, err = p.MoveTask(ctx, task.ID, to, byRun)
		require.NoError(t, err)
		require.Equal(t, to, task.State)
	}
	require.Equal(t, "r1", task.Source.Run)
	var invalid *StateError
	_, err = p.MoveTask(ctx, task.ID, TaskDraft, byUser)
	require.ErrorAs(t, err, &invalid, "only resume leads back to draft")
	require.ErrorContains(t, err, "state_invalid")
	task, err = p.ResumeTask(ctx, task.ID, byUser)
	require.NoError(t, err)
	require.Equal(t, TaskDraft, task.State)
	_, err = p.ResumeTask(ctx, task.ID, byUser)
	require.ErrorAs(t, err, &invalid, "a draft goes on anyway")

	why, err := p.Why(ctx, task.ID)
	require.NoError(t, err)
	require.Len(t, why.Moves, 9, "refused moves leave no trace")
	require.Equal(t, "verifying draft", fmt.Sprint(why.Moves[7].From, " ", why.Moves[8].To))
	require.Equal(t, byUser, why.Moves[8].Source)

	fork, err := p.ForkTask(ctx, task.ID, byUser)
	require.NoError(t, err)
	require.Equal(t, task.ID, fork.Parent)
	require.NotEqual(t, task.ID, fork.ID)
	require.Equal(t, [3]string{"Fix 100% of it", "the parser_", "draft"}, [3]string{fork.Title, fork.Prompt, string(fork.State)})

	require.NoError(t, p.DeleteTask(ctx, task.ID))
	_, err = p.Task(ctx, task.ID)
	require.ErrorIs(t, err, ErrNotFound)
	_, err = p.MoveTask(ctx, task.ID, TaskPlanned, byUser)
	require.ErrorIs(t, err, ErrNotFound)
	require.ErrorIs(t, p.DeleteTask(ctx, task.ID), ErrNotFound)
	_, err = p.Task(ctx, fork.ID)
	require.NoError(t, err)
}

func TestTasks_AreListedAndSearched(t *testing.T) {
	t.Parallel()
	p, c := open(t)
	ctx := t.Context()
	ids := map[ID]string{}
	for _, title := range []string{"Parser", "100% lexer", "100 tests"} {
		task, err := p.CreateTask(ctx, title, "about the "+title, byUser)
		require.NoError(t, err)
		ids[task.ID] = title
		if title == "Parser" {
			_, err = p.MoveTask(ctx, task.ID, TaskCancelled, byUser)
			require.NoError(t, err)
		}
		c.add(day)
	}
	for name, test := range map[string]struct {
		filter TaskFilter
		want   []string
	}{
		"all":           {TaskFilter{}, []string{"100 tests", "100% lexer", "Parser"}},
		"first":         {TaskFilter{Limit: 1}, []string{"100 tests"}},
		"of states":     {TaskFilter{States: []TaskState{TaskCancelled, TaskFailed}}, []string{"Parser"}},
		"text":          {TaskFilter{Text: "PARSER"}, []string{"Parser"}},
		"literal %":     {TaskFilter{Text: "100%"}, []string{"100% lexer"}},
		"literal _":     {TaskFilter{Text: "_"}, nil},
		"in the prompt": {TaskFilter{Text: "about the 100", States: []TaskState{TaskDraft}}, []string{"100 tests", "100% lexer"}},
	} {
		tasks, err := p.Tasks(ctx, test.filter)
		require.NoError(t, err)
		var got []string
		for _, task := range tasks {
			got = append(got, ids[task.ID])
		}
		require.Equal(t, test.want, got, name)
	}
	_, err := p.CreateTask(ctx, " ", "", byUser)
	require.ErrorIs(t, err, ErrInvalid)
	_, err = p.CreateTask(ctx, "t", "", Source{})
	require.ErrorIs(t, err, ErrInvalid)
}
