package batch_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/batch"
	"forge/engine/llm"
)

// The list finds a submission whose reply was lost, however late the provider lists it.
func TestSubmit_ALostReply(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		hides  int
		fails  []error // of the lists
		silent bool    // about labels, until a job has ended
		bought int
	}{
		"its label is known when it has ended":           {silent: true, bought: 1},
		"listed late, its label known when it has ended": {hides: 1, silent: true, bought: 1},
		"listed at once":            {bought: 1},
		"listed at the second look": {hides: 1, bought: 1},
		"lists fail at first":       {fails: []error{failed(llm.KindTransient, 0), failed(llm.KindRateLimited, time.Hour)}, hides: 1, bought: 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in(t, func(t *testing.T, dir string) {
				p := &provider{answersAfter: time.Hour, lose: failed(llm.KindTransient, 0), hides: test.hides, listFails: test.fails, unlabelled: test.silent}
				replies := ask(t.Context(), open(t, dir, patient), candidate(p, "m"), batch.Waiter{}, "a", "b")
				require.NoError(t, replies["a"].err)
				require.NoError(t, replies["b"].err)
				require.Equal(t, test.bought, p.bought(t)["a"])
				require.Equal(t, 1, p.Submits)
			})
		})
	}
}

// A job of somebody else that has no label is no reason to wait, unless it may be ours.
func TestSubmit_WhichJobsMayBeOurs(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		age   time.Duration // of the other job
		items int
		waits bool
	}{
		"as big and as old":  {0, 1, true},
		"another size":       {0, 2, false},
		"older":              {10 * time.Minute, 1, false},
		"the clock is wrong": {4 * time.Minute, 1, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in(t, func(t *testing.T, dir string) {
				p := &provider{answersAfter: time.Hour, unlabelled: true}
				_, err := p.Submit(t.Context(), "theirs", make([]llm.BatchItem, test.items))
				require.NoError(t, err)
				p.Jobs[0].Submitted = time.Now().Add(-test.age)
				p.refuse = func([]llm.BatchItem) error { return failed(llm.KindTransient, 0) } // and it is not lost, there is none
				reply := ask(t.Context(), open(t, dir, patient), candidate(p, "m"), batch.Waiter{}, "a")["a"]
				require.Equal(t, llm.KindTransient, kindOf(reply.err))
				require.Equal(t, test.waits, reply.took > 30*time.Minute, "it took %s", reply.took)
			})
		})
	}
}

// A job that comes to be listed later than anybody can wait for has been submitted twice: the twin is cancelled, and its answers
// are not used. This is what the second look is for: see TestSubmit_ALostReply.
func TestSubmit_ATwinIsCancelled(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, dir string) {
		p := &provider{answersAfter: time.Hour, lose: failed(llm.KindTransient, 0), hides: 2}
		d := open(t, dir, patient)
		first := ask(t.Context(), d, candidate(p, "m"), batch.Waiter{}, "a")["a"]
		require.Equal(t, llm.KindTransient, kindOf(first.err))
		require.GreaterOrEqual(t, first.took, 2*time.Minute, "the two looks are that far apart")
		require.NoError(t, ask(t.Context(), d, candidate(p, "m"), batch.Waiter{}, "a")["a"].err)
		require.Len(t, p.Jobs, 2)
		require.Equal(t, p.Jobs[0].Label, p.Jobs[1].Label)
		require.True(t, p.Jobs[0].Cancelled)
		require.False(t, p.Jobs[1].Cancelled)
	})
}

// A provider's refusal is an error for the waiting callers at once, and the one loop of retries decides: attempts never multiply,
// and nothing is asked before the moment that the provider named.
func TestSubmit_ARefusedJob(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		kind    llm.Kind
		after   time.Duration
		submits int
		says    llm.Kind
	}{
		"rate limit":     {llm.KindRateLimited, 30 * time.Second, 3, ""},
		"an hour":        {llm.KindRateLimited, time.Hour, 1, llm.KindRateLimited},
		"no key":         {llm.KindAuth, 0, 1, llm.KindAuth},
		"malformed":      {llm.KindInvalid, 0, 1, llm.KindInvalid},
		"too large":      {llm.KindOverflow, 0, 1, llm.KindOverflow},
		"server trouble": {llm.KindTransient, 0, 3, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in(t, func(t *testing.T, dir string) {
				var at []time.Time
				p := &provider{answersAfter: time.Minute}
				p.refuse = func([]llm.BatchItem) error {
					if at = append(at, time.Now()); len(at) > 2 {
						return nil
					}
					return failed(test.kind, test.after)
				}
				m := llm.Retry(open(t, dir, patient).Model(candidate(p, "m"), batch.Waiter{}), llm.Policy{Jitter: func() float64 { return 0 }})
				_, err := m.Complete(t.Context(), request("a"), nil)
				require.Equal(t, test.says, kindOf(err))
				require.Equal(t, test.submits, p.Submits)
				for i := range at[1:] {
					require.GreaterOrEqual(t, at[i+1].Sub(at[i]), test.after)
				}
			})
		})
	}
}

// One request that the provider does not take keeps no other one from its answer.
func TestSubmit_OneBadItem(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, dir string) {
		p := &provider{refuse: func(items []llm.BatchItem) error {
			if slices.ContainsFunc(items, func(i llm.BatchItem) bool { return i.Request.Messages[0].Text == "bad" }) {
				return failed(llm.KindInvalid, 0)
			}
			return nil
		}}
		replies := ask(t.Context(), open(t, dir, patient), candidate(p, "m"), batch.Waiter{}, "a", "bad", "b")
		require.NoError(t, replies["a"].err)
		require.NoError(t, replies["b"].err)
		require.Equal(t, llm.KindInvalid, kindOf(replies["bad"].err))
		require.Equal(t, map[string]int{"a": 1, "b": 1}, p.bought(t))
	})
}

// A failure that only the user can fix is reported at once, and the job is not lost.
func TestSubmit_AKeyThatIsTakenAway(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, dir string) {
		p := &provider{answersAfter: time.Hour, pollFails: []error{nil, failed(llm.KindAuth, 0)}}
		d := open(t, dir, patient)
		reply := ask(t.Context(), d, candidate(p, "m"), batch.Waiter{}, "a")["a"]
		require.Equal(t, llm.KindAuth, kindOf(reply.err))
		require.ErrorContains(t, reply.err, "job-1")
		require.Less(t, reply.took, time.Minute)
		require.NoError(t, ask(t.Context(), d, candidate(p, "m"), batch.Waiter{}, "a")["a"].err)
		require.Equal(t, map[string]int{"a": 1}, p.bought(t))
	})
}

// A run that was cancelled: requests that no provider has are dropped, and a job is cancelled when no other run waits
// for it.
func TestSubmit_Abandon(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		after     time.Duration // of the cancel, from the request on
		other     bool          // another run waits in the same job
		hasJob    bool
		cancelled bool
	}{
		"before it is submitted": {after: time.Second},
		"after it was":           {after: time.Minute, hasJob: true, cancelled: true},
		"another run waits":      {after: time.Minute, other: true, hasJob: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in(t, func(t *testing.T, dir string) {
				p := &provider{answersAfter: time.Hour}
				d := open(t, dir, patient)
				others := make(chan map[string]reply, 1)
				if test.other {
					go func() { others <- ask(t.Context(), d, candidate(p, "m"), batch.Waiter{Run: "r-2"}, "b") }()
				}
				ctx, cancel := context.WithTimeout(t.Context(), test.after)
				defer cancel()
				ask(ctx, d, candidate(p, "m"), batch.Waiter{Run: "r-1"}, "a")
				require.NoError(t, d.Abandon(t.Context(), "r-1", finds(p)))
				require.Equal(t, test.hasJob, len(p.Jobs) > 0)
				require.Equal(t, test.cancelled, len(p.Jobs) > 0 && p.Jobs[0].Cancelled)
				if test.other {
					require.NoError(t, (<-others)["b"].err)
				}
				mine, err := d.Jobs(t.Context(), batch.Filter{Run: "r-1", Open: true})
				require.NoError(t, err)
				require.Empty(t, mine)
			})
		})
	}
}

func finds(b llm.Batcher) batch.Finder {
	return func(context.Context, string, string) (llm.Batcher, error) { return b, nil }
}

// Answers from before a cancel are available when the run is resumed.
func TestSubmit_KeepsAnswersFromBeforeACancel(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, dir string) {
		p := &provider{answersAfter: time.Minute}
		d := open(t, dir, patient)
		ctx, cancel := context.WithTimeout(t.Context(), 12*time.Second)
		defer cancel()
		ask(ctx, d, candidate(p, "m"), batch.Waiter{Run: "r-1"}, "a")
		time.Sleep(time.Hour) //nolint:forbidigo // of the bubble's clock; the job has ended meanwhile, without a poll
		require.NoError(t, d.Abandon(t.Context(), "r-1", finds(p)))
		require.Equal(t, "re: a", ask(t.Context(), d, candidate(p, "m"), batch.Waiter{Run: "r-1"}, "a")["a"].text)
		require.Equal(t, 1, p.Submits)
	})
}

// The user who asks gets what is there at once, and an engine that waits gets it then. Nothing is submitted for the user.
func TestSubmit_PollOnDemand(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, dir string) {
		p := &provider{answersAfter: time.Minute}
		ctx, cancel := context.WithTimeout(t.Context(), 12*time.Second)
		defer cancel()
		d := open(t, dir, patient)
		ask(ctx, d, candidate(p, "m"), batch.Waiter{Run: "r-1"}, "a")
		early, err := d.Poll(t.Context(), "job-1", finds(p))
		require.NoError(t, err)
		require.Equal(t, batch.Submitted, early[0].State)
		require.True(t, early[0].IsOpen())
		time.Sleep(time.Minute) //nolint:forbidigo // of the bubble's clock
		late, err := d.Poll(t.Context(), "", finds(p))
		require.NoError(t, err)
		require.Len(t, late, 1)
		require.Equal(t, batch.Ended, late[0].State)
		require.Equal(t, 1, late[0].Answered)
		require.Equal(t, []string{"r-1"}, late[0].Runs)
		reply := ask(t.Context(), d, candidate(p, "m"), batch.Waiter{Run: "r-1"}, "a")["a"]
		require.Zero(t, reply.took)
		_, err = d.Poll(t.Context(), "job-7", finds(p))
		require.ErrorIs(t, err, batch.ErrNoJob)
		none, err := d.Poll(t.Context(), "", finds(p))
		require.NoError(t, err)
		require.Empty(t, none)
	})
}

// Not even the user is let through before the moment that a provider named, and what failed is said.
func TestSubmit_PollOnDemandHeedsTheProvider(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, dir string) {
		p := &provider{answersAfter: time.Second, pollFails: []error{failed(llm.KindRateLimited, time.Hour)}}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		d := open(t, dir, patient)
		ask(ctx, d, candidate(p, "m"), batch.Waiter{Run: "r-1"}, "a")
		_, err := d.Poll(t.Context(), "", finds(p))
		require.ErrorContains(t, err, "no luck")
		_, err = d.Poll(t.Context(), "", finds(p))
		require.NoError(t, err)
		require.Len(t, p.Polls, 1)
		_, err = d.Poll(t.Context(), "", func(context.Context, string, string) (llm.Batcher, error) { return nil, errors.New("no such provider") })
		require.ErrorContains(t, err, "no such provider")
		var rounds int
		require.NoError(t, d.Await(t.Context(), "", finds(p), func([]batch.Job, error) { rounds++ }))
		require.Len(t, p.Polls, 2)
		require.Equal(t, 2, rounds)
	})
}

func TestSubmit_AwaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, dir string) {
		p := &provider{answersAfter: time.Hour}
		d := open(t, dir, patient)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		ask(ctx, d, candidate(p, "m"), batch.Waiter{Run: "r-1"}, "a")
		require.ErrorIs(t, d.Await(ctx, "", finds(p), func([]batch.Job, error) {}), context.DeadlineExceeded)
	})
}
