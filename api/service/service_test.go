package service_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"forge/api"
	"forge/api/service"
	"forge/engine"
	"forge/engine/activity"
	"forge/engine/batch"
	"forge/engine/checks"
	"forge/engine/event"
	"forge/engine/history"
	"forge/memory"
)

var _ interface {
	service.RunStore
	service.AttemptStore
	service.Ledger
	service.TaskStore
	service.SpecStore
	service.MemoryStore
	service.Inventory
	service.CostStore
	service.BatchStore
	service.SkillStore
	service.AgentStore
	service.Gates
	service.Machine
	service.Explorer
	service.Sweeper
	service.PermissionStore
} = (*engine.Engine)(nil)

// stuck is a run of another process that does not stop.
type stuck struct{ service.RunStore }

func (stuck) Find(_ context.Context, id string) (history.Run, error) {
	return history.Run{ID: id, State: event.Interrupted}, nil
}

func (stuck) Kill(context.Context, string) error { return nil }

func (stuck) AwaitQuiet(ctx context.Context, id string) (history.Run, error) {
	<-ctx.Done()
	return history.Run{ID: id, State: event.Running}, ctx.Err()
}

func TestKillRun_ReportsARunThatDoesNotStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, err := service.KillRun(t.Context(), stuck{}, time.Minute, &api.KillArgs{RunID: "r-1"})
		require.Equal(t, &service.BusyError{RunID: "r-1", State: event.Running, Within: time.Minute}, err)

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = service.KillRun(ctx, stuck{}, time.Minute, &api.KillArgs{RunID: "r-1"})
		require.ErrorIs(t, err, context.DeadlineExceeded, "it is the caller who did not wait")
	})
}

// none is a memory and tasks without anything in them.
type none struct {
	service.MemoryStore
	service.TaskStore
}

var errNone = fmt.Errorf("entry: %w", memory.ErrNotFound)

func (none) Forget(context.Context, string, memory.Scope, string) error { return errNone }

func (none) DeleteTask(context.Context, string, memory.ID) error {
	return errors.New("the disk is full")
}

func TestMissing_NamesMissingRuns(t *testing.T) {
	t.Parallel()
	in := service.At("/w")
	_, err := service.ForgetMemory(t.Context(), none{}, in, &api.MemoryIDArgs{ID: "entry-1"})
	require.Equal(t, &service.MissingError{Subject: service.Memory, Name: "entry-1", Folder: "/w", Err: errNone}, err)
	require.Equal(t, errNone.Error(), err.Error())
	require.ErrorIs(t, err, memory.ErrNotFound)

	_, err = service.DeleteTask(t.Context(), none{}, in, &api.TaskArgs{ID: "task_1"})
	require.EqualError(t, err, "the disk is full")
	require.NotErrorAs(t, err, new(*service.MissingError))
}

func TestArguments_AreNamed(t *testing.T) {
	t.Parallel()
	var wrong *api.ArgumentError
	_, err := service.SearchMemory(t.Context(), none{}, service.At("/w"), &api.MemorySearchArgs{Text: " "})
	require.ErrorAs(t, err, &wrong)
	require.Equal(t, "text", wrong.Field)
	_, err = service.SearchTasks(t.Context(), none{}, service.At("/w"), &api.TaskSearchArgs{Text: " "})
	require.ErrorAs(t, err, &wrong)
	_, err = service.ShowCost(t.Context(), nil, time.Now(), &api.CostArgs{Since: "long"})
	require.ErrorAs(t, err, &wrong)
	require.Equal(t, "since", wrong.Field)
}

// jobs is a provider that answers when it is asked about a second time.
type jobs struct {
	service.BatchStore
	fails error
}

func (j jobs) AwaitBatches(_ context.Context, _ string, tell func([]batch.Job, error)) error {
	if j.fails == nil {
		tell([]batch.Job{{Label: "forge-1"}}, errors.New("openai is not there"))
		tell([]batch.Job{{Label: "forge-1", Answered: 2}}, nil)
	}
	return j.fails
}

func TestPollBatches_ReportsWhileItWaits(t *testing.T) {
	t.Parallel()
	var troubles []string
	note := func(r api.BatchesResult) { troubles = append(troubles, r.Trouble) }
	got, err := service.PollBatches(t.Context(), jobs{}, note, &api.BatchPollArgs{Wait: true})
	require.NoError(t, err)
	require.Equal(t, 2, got.Batches[0].Answered)
	require.Equal(t, []string{"openai is not there", ""}, troubles)

	_, err = service.PollBatches(t.Context(), jobs{fails: batch.ErrNoJob}, note, &api.BatchPollArgs{ID: "b", Wait: true})
	require.ErrorIs(t, err, activity.ErrNoBatch)
}

// machine misses a program.
type machine struct{}

func (machine) Doctor(context.Context) []checks.Check {
	return []checks.Check{{Name: "go", State: checks.CheckMissing}}
}

func (machine) DoctorFolder(_ context.Context, root string) []checks.Check {
	return []checks.Check{{Name: root, State: checks.CheckOK}}
}

func TestDoctor_IsNotOKWhereAnythingIsMissing(t *testing.T) {
	t.Parallel()
	models := func(context.Context) []checks.Check { return []checks.Check{{Name: "provider", State: checks.CheckOK}} }
	got := service.Doctor(t.Context(), machine{}, models, []string{"/w"}, api.DoctorCheck{Name: "editor", State: "ok"})
	require.False(t, got.OK)
	names := []string{}
	for _, c := range got.Checks {
		names = append(names, c.Name)
	}
	require.Equal(t, []string{"go", "provider", "/w", "editor"}, names)
	require.True(t, service.Doctor(t.Context(), nil, nil, []string{"/w"}).OK)
}
