package llmtest_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/llmtest"
)

const batches = `
batch: {polls: 1}
entries:
- match: {node: one}
  reply: {text: first}
- match: {node: two}
  fault: {status: 500}
- match: {node: three}
  fault: {kind: expire}
- match: {call: submit}
  fault: {status: 429, retryAfter: "7"}
- match: {call: submit}
  fault: {kind: lost}
`

func items(nodes ...string) []llm.BatchItem {
	var all []llm.BatchItem
	for _, node := range nodes {
		all = append(all, llm.BatchItem{Key: "key-" + node, Request: request(node, 1, node)})
	}
	return all
}

func kind(err error) llm.Kind {
	var failure *llm.Error
	if errors.As(err, &failure) {
		return failure.Kind
	}
	return ""
}

func TestBatchesInProcess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := parse(t, batches)
		b := s.Batcher()
		_, err := b.Submit(t.Context(), "label", items("one"))
		require.Equal(t, llm.KindRateLimited, kind(err))
		require.Zero(t, s.Jobs(), "what was refused is no job")
		_, err = b.Submit(t.Context(), "label", items("one", "two", "three", "four"))
		require.Equal(t, llm.KindTransient, kind(err))
		require.Equal(t, 1, s.Jobs(), "what was lost is one")

		jobs, err := b.List(t.Context(), time.Now().Add(-time.Minute))
		require.NoError(t, err)
		require.Len(t, jobs, 1)
		require.Equal(t, "label", jobs[0].Label)
		require.Equal(t, 24*time.Hour, jobs[0].Expires.Sub(jobs[0].Submitted))
		job, err := b.Poll(t.Context(), jobs[0].ID)
		require.NoError(t, err)
		require.False(t, job.Ended)
		_, err = b.Results(t.Context(), job.ID)
		require.NoError(t, err, "one look was enough")

		results, err := b.Results(t.Context(), job.ID)
		require.NoError(t, err)
		require.Len(t, results, 4)
		require.NoError(t, results["key-one"].Err)
		require.Equal(t, "first", results["key-one"].Response.Text)
		require.Equal(t, llm.KindTransient, kind(results["key-two"].Err))
		require.Equal(t, llm.KindMissing, kind(results["key-three"].Err))
		require.Equal(t, llm.KindInvalid, kind(results["key-four"].Err))
		require.ErrorContains(t, s.Verify(), `not expected: node "four"`)
		_, err = b.Poll(t.Context(), "job-2")
		require.Equal(t, llm.KindInvalid, kind(err))
	})
}

func TestJobsEndInTheirTime(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		plan   llmtest.Batch
		after  time.Duration // still runs a second before
		result llm.Kind
	}{
		"when they are done":    {llmtest.Batch{Polls: -1, TakesS: 60}, time.Minute, ""},
		"when they expire":      {llmtest.Batch{Polls: -1}, 24 * time.Hour, llm.KindMissing},
		"when they expire soon": {llmtest.Batch{Polls: -1, ExpireS: 5}, 5 * time.Second, llm.KindMissing},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := parse(t, "entries:\n- reply: {text: a}\n")
				s.Batch = test.plan
				b := s.Batcher()
				job, err := b.Submit(t.Context(), "", items("one"))
				require.NoError(t, err)
				require.NoError(t, llm.Pause(t.Context(), test.after-time.Second))
				job, err = b.Poll(t.Context(), job.ID)
				require.NoError(t, err)
				require.False(t, job.Ended)
				require.NoError(t, llm.Pause(t.Context(), time.Second))
				job, err = b.Poll(t.Context(), job.ID)
				require.NoError(t, err)
				require.True(t, job.Ended)
				results, err := b.Results(t.Context(), job.ID)
				require.NoError(t, err)
				require.Equal(t, test.result, kind(results["key-one"].Err))
			})
		})
	}
}

func TestACancelledJobAnswersNothing(t *testing.T) {
	t.Parallel()
	s := parse(t, "batch: {polls: 9}\nentries:\n- reply: {text: a}\n")
	b := s.Batcher()
	job, err := b.Submit(t.Context(), "", items("one"))
	require.NoError(t, err)
	_, err = b.Results(t.Context(), job.ID)
	require.Equal(t, llm.KindTransient, kind(err))
	require.NoError(t, b.Cancel(t.Context(), job.ID))
	results, err := b.Results(t.Context(), job.ID)
	require.NoError(t, err)
	require.Equal(t, llm.KindMissing, kind(results["key-one"].Err))
}

func TestEntriesOfBatchCalls(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"- match: {call: sumbit}\n  fault: {status: 500}":                   `no batch call "sumbit"`,
		"- match: {call: submit}\n  reply: {text: a}":                       "has a fault, and nothing else",
		"- match: {call: submit}\n  fault: {kind: cut}\n  reply: {text: a}": "has a fault, and nothing else",
	} {
		_, err := llmtest.Parse("batch.yaml", []byte("entries:\n"+text+"\n"))
		require.ErrorContains(t, err, says)
	}
}
