package lsp_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/api"
	"forge/engine/batch"
	"forge/engine/event"
	"forge/engine/execution"
)

// fakeBatching is what a fake engine asks by batch: one that ends when it is asked about a second time.
type fakeBatching struct {
	filter *batch.Filter
	polls  *int
}

func (b fakeBatching) jobs() []batch.Job {
	j := batch.Job{
		Label: "forge-1", ID: "batch_1", Provider: "openai", Model: "m", State: batch.Submitted, Items: 3, Runs: []string{"r-1"},
		Created: time.Unix(1, 0), Submitted: time.Unix(2, 0),
	}
	if *b.polls > 1 {
		j.State, j.Answered, j.Missing, j.Ended = batch.Ended, 2, 1, time.Unix(3, 0)
	}
	return []batch.Job{j}
}

func (b fakeBatching) Batches(_ context.Context, f batch.Filter) ([]batch.Job, error) {
	*b.filter = f
	return b.jobs(), nil
}

func (b fakeBatching) PollBatches(_ context.Context, id string) ([]batch.Job, error) {
	if id != "" && id != "batch_1" {
		return nil, fmt.Errorf("batch %s: %w", id, batch.ErrNoJob)
	}
	if *b.polls++; *b.polls == 1 {
		return b.jobs(), errors.New("openai is not there")
	}
	return b.jobs(), nil
}

func (b fakeBatching) AwaitBatches(ctx context.Context, id string, tell func([]batch.Job, error)) error {
	for *b.polls < 2 {
		jobs, err := b.PollBatches(ctx, id)
		if jobs == nil {
			return err
		}
		tell(jobs, err)
	}
	return nil
}

func TestBatches_OverTheWire(t *testing.T) {
	t.Parallel()
	waiting := api.Batch{
		ID: "batch_1", Label: "forge-1", Provider: "openai", Model: "m", State: "submitted", Items: 3, Runs: []string{"r-1"},
		Created: "1970-01-01T00:00:01.000Z", Submitted: "1970-01-01T00:00:02.000Z",
	}
	ended := waiting
	ended.State, ended.Answered, ended.Missing, ended.Ended = "ended", 2, 1, "1970-01-01T00:00:03.000Z"

	for name, c := range map[string]struct {
		command string
		args    any
		want    api.BatchesResult
		says    string
	}{
		"list":    {api.ListBatches, api.BatchListArgs{RunID: "r-1", Open: true}, api.BatchesResult{Batches: []api.Batch{waiting}}, ""},
		"poll":    {api.PollBatches, nil, api.BatchesResult{Batches: []api.Batch{waiting}, Trouble: "openai is not there"}, ""},
		"wait":    {api.PollBatches, api.BatchPollArgs{ID: "batch_1", Wait: true}, api.BatchesResult{Batches: []api.Batch{ended}}, ""},
		"unknown": {api.PollBatches, api.BatchPollArgs{ID: "batch_7"}, api.BatchesResult{}, "there is no such batch"},
		"and to wait for it": {
			api.PollBatches, api.BatchPollArgs{ID: "batch_7", Wait: true}, api.BatchesResult{}, "there is no such batch",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked batch.Filter
			var polls int
			e := &fakeEngine{}
			e.batches = fakeBatching{&asked, &polls}
			var got api.BatchesResult
			err := start(t, nil, e).execute(c.command, c.args, &got)
			if c.says != "" {
				require.ErrorContains(t, err, c.says)
				return
			}
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(c.want, got))
			if c.command == api.ListBatches {
				require.Equal(t, batch.Filter{Run: "r-1", Open: true}, asked)
			}
		})
	}
}

// The progress shows that a run waits until a model is loaded.
func TestBatches_ThatAModelIsLoadedIsShown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		loaded := make(chan struct{})
		d := start(t, nil, &fakeEngine{script: func(ctx context.Context, r *scriptedRun) execution.Result {
			r.Log.Append(event.ModelWarming{Node: "spec", Attempt: 1, Model: "qwen2.5-coder"})
			<-loaded
			r.Log.Append(event.ModelWarmed{Node: "spec", Attempt: 1, Model: "qwen2.5-coder"})
			<-ctx.Done()
			return execution.Result{State: event.Cancelled}
		}})
		var r api.RunResult
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x"}, &r))
		pause(1000)
		synctest.Wait()
		require.Equal(t, "loading qwen2.5-coder", lastProgress(t, d).Message)
		close(loaded)
		pause(1000)
		synctest.Wait()
		require.Equal(t, "spec", lastProgress(t, d).Message)
		require.NoError(t, d.execute(api.Cancel, api.RunRef{RunID: r.RunID}, nil))
	})
}

// The progress shows that a run waits for a batch, until there is an answer.
func TestBatches_AWaitForABatchIsShown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		answered := make(chan struct{})
		d := start(t, nil, &fakeEngine{script: func(ctx context.Context, r *scriptedRun) execution.Result {
			r.Log.Append(event.BatchWaiting{Node: "spec", Attempt: 1, Provider: "openai", Batch: "batch_1", State: "submitted", Items: 3})
			<-answered
			r.Log.Append(event.ModelCalled{Node: "spec", Attempt: 1})
			<-ctx.Done()
			return execution.Result{State: event.Cancelled}
		}})
		var r api.RunResult
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x"}, &r))
		pause(1000)
		synctest.Wait()
		require.Equal(t, "waiting: batch batch_1 at openai (3 requests)", lastProgress(t, d).Message)
		var status api.StatusResult
		require.NoError(t, d.execute(api.Status, nil, &status))
		require.Equal(t, "batch batch_1 at openai (3 requests)", status.Runs[0].Batch)
		close(answered)
		pause(1000)
		synctest.Wait()
		require.Equal(t, "spec", lastProgress(t, d).Message)
		status = api.StatusResult{}
		require.NoError(t, d.execute(api.Status, nil, &status))
		require.Empty(t, status.Runs[0].Batch)
		require.NoError(t, d.execute(api.Cancel, api.RunRef{RunID: r.RunID}, nil))
	})
}
