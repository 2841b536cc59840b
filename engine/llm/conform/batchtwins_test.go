package conform_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/openai"
	"forge/engine/llm/wire"
)

// wrongBatcher is a batcher whose calls can be replaced.
type wrongBatcher struct {
	*openai.Client
	submit  func(context.Context, *openai.Client, string, []llm.BatchItem) (llm.BatchJob, error)
	job     func(llm.BatchJob, error) (llm.BatchJob, error)
	list    func([]llm.BatchJob) []llm.BatchJob
	results func(map[string]llm.BatchResult, error) (map[string]llm.BatchResult, error)
}

func (w wrongBatcher) Submit(ctx context.Context, label string, items []llm.BatchItem) (llm.BatchJob, error) {
	if w.submit != nil {
		return w.submit(ctx, w.Client, label, items)
	}
	return w.Client.Submit(ctx, label, items)
}

func (w wrongBatcher) Poll(ctx context.Context, id string) (llm.BatchJob, error) {
	job, err := w.Client.Poll(ctx, id)
	if w.job != nil {
		return w.job(job, err)
	}
	return job, err
}

func (w wrongBatcher) List(ctx context.Context, since time.Time) ([]llm.BatchJob, error) {
	jobs, err := w.Client.List(ctx, since)
	if w.list != nil {
		jobs = w.list(jobs)
	}
	return jobs, err
}

func (w wrongBatcher) Results(ctx context.Context, id string) (map[string]llm.BatchResult, error) {
	results, err := w.Client.Results(ctx, id)
	if w.results != nil {
		return w.results(results, err)
	}
	return results, err
}

// again submits once more where it is not known what came of the first time.
func again(ctx context.Context, good *openai.Client, label string, items []llm.BatchItem) (llm.BatchJob, error) {
	job, err := good.Submit(ctx, label, items)
	if err != nil {
		return good.Submit(ctx, label, items)
	}
	return job, err
}

func TestBatchTwins_EachBatchCheckDetectsItsFault(t *testing.T) {
	t.Parallel()
	answered := func(results map[string]llm.BatchResult, err error) (map[string]llm.BatchResult, error) {
		for key := range results {
			results[key] = llm.BatchResult{Response: llm.Response{Finish: llm.FinishStop}}
		}
		return results, err
	}
	twins := map[string]struct {
		twin   wrongBatcher
		caught []string
	}{
		"submitting twice": {wrongBatcher{submit: again}, []string{"a lost job is found by its label", "calls that fail"}},
		"a label of its own": {wrongBatcher{submit: func(ctx context.Context, good *openai.Client, _ string, items []llm.BatchItem) (llm.BatchJob, error) {
			return good.Submit(ctx, "mine", items)
		}}, []string{"a lost job is found by its label"}},
		"it never ends":   {wrongBatcher{job: func(j llm.BatchJob, err error) (llm.BatchJob, error) { j.Ended = false; return j, err }}, []string{"a job is answered", "what was cancelled is missing"}},
		"there is a job":  {wrongBatcher{job: func(j llm.BatchJob, _ error) (llm.BatchJob, error) { return j, nil }}, []string{"no such job"}},
		"the first page":  {wrongBatcher{list: func(jobs []llm.BatchJob) []llm.BatchJob { return jobs[:min(len(jobs), 100)] }}, []string{"jobs are listed"}},
		"empty answers":   {wrongBatcher{results: answered}, []string{"a job is answered", "answers end as others do", "what expired is missing"}},
		"results in part": {wrongBatcher{results: func(r map[string]llm.BatchResult, _ error) (map[string]llm.BatchResult, error) { return r, nil }}, []string{"results cut at every byte"}},
	}
	for name, twin := range twins {
		for _, check := range twin.caught {
			t.Run(name+"/"+check, func(t *testing.T) {
				t.Parallel()
				adapter := Adapter{Name: "broken", New: func(o wire.Options) llm.Model {
					o.BaseURL += "/v1"
					broken := twin.twin
					broken.Client = openai.New(o)
					return broken
				}}
				require.Error(t, CheckBatch(t.Context(), adapter, check))
			})
		}
	}
}
