package batch_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/batch"
	"forge/engine/llm"
)

// in runs a test by a clock of its own.
func in(t *testing.T, test func(t *testing.T, dir string)) {
	t.Helper()
	dir := t.TempDir() // outside of the bubble: files are not part of it
	synctest.Test(t, func(t *testing.T) { test(t, dir) })
}

// patient looks for what other processes did only when there is something to do anyway: it saves a bubble's clock many steps.
var patient = batch.Options{Timing: batch.Timing{Peek: 24 * time.Hour}}

func TestQueue_GathersRequestsIntoOneJob(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		options batch.Options
		texts   []string
		jobs    []int // how many items each has
		first   time.Duration
	}{
		"one":             {texts: []string{"a"}, jobs: []int{1}, first: 3 * time.Second},
		"three":           {texts: []string{"a", "b", "c"}, jobs: []int{3}, first: 3 * time.Second},
		"a full job":      {options: batch.Options{MaxItems: 2}, texts: []string{"a", "b"}, jobs: []int{2}, first: 0},
		"more than a job": {options: batch.Options{MaxItems: 2}, texts: []string{"a", "b", "c"}, jobs: []int{1, 2}, first: 0},
		"bytes":           {options: batch.Options{MaxBytes: 10}, texts: []string{"a", "b"}, jobs: []int{1, 1}, first: 0},
		"a longer window": {options: batch.Options{Timing: batch.Timing{Gather: time.Minute}}, texts: []string{"a", "b"}, jobs: []int{2}, first: time.Minute},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in(t, func(t *testing.T, dir string) {
				p, began := &provider{answersAfter: time.Hour}, time.Now()
				replies := ask(t.Context(), open(t, dir, test.options), candidate(p, "m"), batch.Waiter{}, test.texts...)
				var sizes []int
				for _, j := range p.Jobs {
					sizes = append(sizes, len(j.Items))
				}
				require.Equal(t, test.first, p.Jobs[0].Submitted.Sub(began))
				slices.Sort(sizes)
				require.Equal(t, test.jobs, sizes)
				for text, reply := range replies {
					require.NoError(t, reply.err)
					require.Equal(t, "re: "+text, reply.text)
				}
			})
		})
	}
}

// Requests for different models have nothing to do with each other.
func TestQueue_EachModelHasItsJobs(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, dir string) {
		p := &provider{}
		d := open(t, dir, patient)
		done := make(chan map[string]reply)
		go func() { done <- ask(t.Context(), d, candidate(p, "small"), batch.Waiter{}, "a") }()
		require.NoError(t, ask(t.Context(), d, candidate(p, "large"), batch.Waiter{}, "a")["a"].err)
		require.NoError(t, (<-done)["a"].err)
		require.Len(t, p.Jobs, 2)
		require.NotEqual(t, p.Jobs[0].Items[0].Key, p.Jobs[1].Items[0].Key)
	})
}

// The provider is asked at 10 s, and each wait is longer by half, up to 5 min.
func TestQueue_ThePaceOfQuestions(t *testing.T) {
	t.Parallel()
	seconds := func(polls []time.Time, from time.Time) (all []int) {
		for _, at := range polls {
			all = append(all, int(at.Sub(from).Seconds()))
		}
		return all
	}
	tests := map[string]struct {
		fails []error
		want  []int // seconds after the submission
	}{
		"longer by half":         {nil, []int{10, 25, 47, 81, 131, 207, 321, 492, 748, 1048, 1348}},
		"a failure counts":       {[]error{failed(llm.KindTransient, 0)}, []int{10, 25, 47, 81, 131, 207, 321, 492, 748, 1048, 1348}},
		"the provider's moment":  {[]error{failed(llm.KindRateLimited, 20*time.Minute)}, []int{10, 1210}},
		"an hour is waited for":  {[]error{failed(llm.KindRateLimited, time.Hour)}, []int{10, 3610}},
		"a moment while it runs": {[]error{nil, failed(llm.KindTransient, 100*time.Second)}, []int{10, 25, 125, 158, 209, 285, 399, 570, 826, 1126, 1426}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in(t, func(t *testing.T, dir string) {
				p := &provider{answersAfter: 20 * time.Minute, pollFails: test.fails}
				reply := ask(t.Context(), open(t, dir, patient), candidate(p, "m"), batch.Waiter{}, "a")["a"]
				require.NoError(t, reply.err)
				require.Empty(t, cmp.Diff(test.want, seconds(p.Polls, p.Jobs[0].Submitted)))
			})
		})
	}
}

// An item that expired is missing. A repeated request asks for it again; the others keep their answers.
func TestQueue_ExpiredItemsCanBeRequestedAgain(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, dir string) {
		p := &provider{answersAfter: 24 * time.Hour, expires: map[string]bool{"b": true}}
		d := open(t, dir, patient)
		replies := ask(t.Context(), d, candidate(p, "m"), batch.Waiter{}, "a", "b")
		require.NoError(t, replies["a"].err)
		require.Equal(t, llm.KindMissing, kindOf(replies["b"].err))
		p.expires, p.answersAfter = nil, time.Minute
		replies = ask(t.Context(), d, candidate(p, "m"), batch.Waiter{}, "a", "b")
		require.NoError(t, replies["a"].err)
		require.Zero(t, replies["a"].took, "it had its answer")
		require.Equal(t, "re: b", replies["b"].text)
		require.Equal(t, map[string]int{"a": 1, "b": 2}, p.bought(t))
	})
}

// A job that no provider ends is given up after 25 hours.
func TestQueue_TheLimitOfAWait(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, dir string) {
		p := &provider{answersAfter: 1000 * time.Hour}
		p.now = func() time.Time { return time.Unix(1e9, 0) } // its clock stands: nothing expires there
		reply := ask(t.Context(), open(t, dir, patient), candidate(p, "m"), batch.Waiter{}, "a")["a"]
		require.Equal(t, llm.KindMissing, kindOf(reply.err))
		require.GreaterOrEqual(t, reply.took, 25*time.Hour)
		require.Less(t, reply.took, 25*time.Hour+6*time.Minute)
		require.True(t, p.Jobs[0].Cancelled)
	})
}

// If the state of a job is unknown, nothing is reported about its items.
func TestQueue_SilenceIsNotMissing(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, dir string) {
		p := &provider{answersAfter: time.Hour, pollFails: slices.Repeat([]error{failed(llm.KindTransient, 0)}, 400)}
		d := open(t, dir, patient)
		reply := ask(t.Context(), d, candidate(p, "m"), batch.Waiter{}, "a")["a"]
		require.Equal(t, llm.KindUnavailable, kindOf(reply.err))
		require.ErrorContains(t, reply.err, "no luck")
		p.pollFails = nil
		require.Equal(t, "re: a", ask(t.Context(), d, candidate(p, "m"), batch.Waiter{}, "a")["a"].text)
		require.Equal(t, map[string]int{"a": 1}, p.bought(t))
	})
}

// A provider's answer stays, good or bad, unless it may be different next time.
func TestQueue_WhichOutcomesStay(t *testing.T) {
	t.Parallel()
	for kind, stays := range map[llm.Kind]bool{
		"": true, llm.KindLength: true, llm.KindRefused: true, llm.KindOverflow: true, llm.KindInvalid: true, llm.KindUnsupported: true,
		llm.KindTransient: false, llm.KindRateLimited: false, llm.KindTruncated: false, llm.KindMissing: false,
	} {
		t.Run("kind "+string(kind), func(t *testing.T) {
			t.Parallel()
			in(t, func(t *testing.T, dir string) {
				p := &provider{outcome: func(string) llm.BatchResult {
					result := llm.BatchResult{Response: llm.Response{Text: "x"}}
					if kind != "" {
						result.Err = &llm.Error{Kind: kind, Status: 418, Feature: llm.FeatureTools, Model: "m", Err: errors.New("no luck")}
					}
					return result
				}}
				d := open(t, dir, patient)
				first := ask(t.Context(), d, candidate(p, "m"), batch.Waiter{}, "a")["a"]
				second := ask(t.Context(), d, candidate(p, "m"), batch.Waiter{}, "a")["a"]
				want := map[bool]int{true: 1, false: 2}[stays]
				require.Equal(t, want, p.bought(t)["a"])
				require.Equal(t, "x", second.text, "what there is of an answer comes with the error")
				require.Equal(t, kind, kindOf(first.err))
				require.Equal(t, fmt.Sprint(first.err), fmt.Sprint(second.err))
			})
		})
	}
}

// A request without a key is a new one each time.
func TestQueue_WithoutAKeyNothingIsFoundAgain(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, dir string) {
		p := &provider{}
		m := open(t, dir, patient).Model(candidate(p, "m"), batch.Waiter{})
		require.Equal(t, "m at p", m.Name())
		for range 2 {
			r := request("a")
			r.Key = ""
			_, err := m.Complete(t.Context(), r, nil)
			require.NoError(t, err)
		}
		require.Equal(t, 2, p.bought(t)["a"])
	})
}

// A caller that stops waiting gets the context's error at once; the item stays, and the next request for it gets its
// answer, also from another queue.
func TestQueue_CancelledWaitLosesNothing(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, dir string) {
		p := &provider{answersAfter: time.Hour}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		d := open(t, dir, patient)
		reply := ask(ctx, d, candidate(p, "m"), batch.Waiter{}, "a")["a"]
		require.ErrorIs(t, reply.err, context.DeadlineExceeded)
		require.Equal(t, time.Minute, reply.took)
		require.NoError(t, d.Close())
		time.Sleep(48 * time.Hour) //nolint:forbidigo // of the bubble's clock
		reply = ask(t.Context(), open(t, dir, patient), candidate(p, "m"), batch.Waiter{}, "a")["a"]
		require.NoError(t, reply.err)
		require.Equal(t, map[string]int{"a": 1}, p.bought(t))
		require.Less(t, reply.took, time.Second, "it was due long ago")
	})
}

// Two processes that wait for the same job ask as often as one.
func TestQueue_ProcessesShareTheQuestions(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, dir string) {
		p := &provider{answersAfter: 20 * time.Minute}
		one, two := open(t, dir, patient), open(t, dir, patient)
		done := make(chan map[string]reply)
		go func() { done <- ask(t.Context(), one, candidate(p, "m"), batch.Waiter{}, "a", "b") }()
		time.Sleep(time.Minute) //nolint:forbidigo // of the bubble's clock
		second := ask(t.Context(), two, candidate(p, "m"), batch.Waiter{}, "a", "b")
		require.NoError(t, second["a"].err)
		require.NoError(t, (<-done)["b"].err)
		require.Len(t, p.Polls, 11, "as TestQueue_ThePaceOfQuestions has it")
		require.Equal(t, map[string]int{"a": 1, "b": 1}, p.bought(t))
	})
}

// A waiting caller receives the state, once for each change.
func TestQueue_NotifiesWaiters(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, dir string) {
		p := &provider{answersAfter: time.Hour, pollFails: []error{failed(llm.KindTransient, 0)}}
		var told []string
		ask(t.Context(), open(t, dir, patient), candidate(p, "m"), batch.Waiter{Run: "r-1", Tell: func(w batch.Waiting) {
			told = append(told, fmt.Sprintf("%s/%d %s %s %s %d %q", w.Node, w.Attempt, w.Provider, w.State, w.ID, w.Items, w.Trouble))
		}}, "a")
		require.Equal(t, []string{
			`executor/1 p gathered  0 ""`, `executor/1 p submitted job-1 1 ""`,
			`executor/1 p submitted job-1 1 "model m: no luck"`, `executor/1 p submitted job-1 1 ""`,
			`executor/1 p ended job-1 1 ""`,
		}, told)
	})
}
