package batch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/batch"
	"forge/engine/llm"
)

// provider answers batches as its knobs say. With a file it outlives the process.
type provider struct {
	file string
	now  func() time.Time // nil: the clock

	answersAfter time.Duration                     // from submission on
	outcome      func(key string) llm.BatchResult  // nil: a good answer
	expires      map[string]bool                   // texts of requests that are never answered
	refuse       func(items []llm.BatchItem) error // asked before a job is made
	lose         error                             // the reply of Submit, after the job was made; once
	pollFails    []error                           // one for each call, nil is none
	listFails    []error
	unlabelled   bool // only ended jobs have a label
	hides        int  // so many lists are without jobs

	mu sync.Mutex // guards state
	state
}

type state struct {
	Jobs    []*providerJob
	Submits int
	Polls   []time.Time
	Lists   int
	Hidden  int
}

type providerJob struct {
	llm.BatchJob
	Items     []llm.BatchItem
	Cancelled bool
}

func (p *provider) clock() time.Time {
	if p.now != nil {
		return p.now()
	}
	return time.Now()
}

// do does something with the state, which is in the file afterwards.
func (p *provider) do(f func() error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file == "" {
		return f()
	}
	p.state = state{}
	data, err := os.ReadFile(p.file)
	if err == nil {
		err = json.Unmarshal(data, &p.state)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	failed := f()
	if data, err = json.Marshal(p.state); err == nil {
		if err = os.WriteFile(p.file+".new", data, 0o600); err == nil {
			err = os.Rename(p.file+".new", p.file)
		}
	}
	return errors.Join(failed, err)
}

func (p *provider) Submit(_ context.Context, label string, items []llm.BatchItem) (job llm.BatchJob, err error) {
	err = p.do(func() error {
		p.Submits++
		if p.refuse != nil {
			if err := p.refuse(items); err != nil {
				return err
			}
		}
		made := &providerJob{BatchJob: llm.BatchJob{ID: fmt.Sprint("job-", len(p.Jobs)+1), Label: label, Submitted: p.clock()}, Items: items}
		made.Expires = made.Submitted.Add(24 * time.Hour)
		p.Jobs, job = append(p.Jobs, made), made.BatchJob
		lost := p.lose
		p.lose = nil
		return lost
	})
	return job, err
}

func (p *provider) find(id string) (*providerJob, error) {
	for _, j := range p.Jobs {
		if j.ID == id {
			now := p.clock()
			j.Ended = j.Cancelled || !now.Before(j.Submitted.Add(p.answersAfter)) || !now.Before(j.Expires)
			return j, nil
		}
	}
	return nil, failed(llm.KindInvalid, 0)
}

func (p *provider) Poll(_ context.Context, id string) (job llm.BatchJob, err error) {
	err = p.do(func() error {
		p.Polls = append(p.Polls, p.clock())
		if err := shift(&p.pollFails); err != nil {
			return err
		}
		j, err := p.find(id)
		if err == nil {
			job = j.BatchJob
		}
		return err
	})
	return job, err
}

func (p *provider) Results(_ context.Context, id string) (results map[string]llm.BatchResult, err error) {
	err = p.do(func() error {
		j, err := p.find(id)
		if err != nil {
			return err
		}
		results = map[string]llm.BatchResult{}
		for _, i := range j.Items {
			text := i.Request.Messages[0].Text
			switch {
			case p.expires[text] || p.clock().Before(j.Submitted.Add(p.answersAfter)):
			case p.outcome != nil:
				results[i.Key] = p.outcome(text)
			default:
				results[i.Key] = llm.BatchResult{Response: llm.Response{Text: "re: " + text, Finish: llm.FinishStop, Usage: llm.Usage{Input: 3, Output: 4}}}
			}
		}
		return nil
	})
	return results, err
}

func (p *provider) List(_ context.Context, since time.Time) (jobs []llm.BatchJob, err error) {
	err = p.do(func() error {
		p.Lists++
		if err := shift(&p.listFails); err != nil {
			return err
		}
		if p.Hidden < p.hides {
			p.Hidden++
			return nil
		}
		for _, j := range slices.Backward(p.Jobs) {
			if !j.Submitted.Before(since) {
				jobs = append(jobs, p.listed(j))
			}
		}
		return nil
	})
	return jobs, err
}

// listed is a job as a list has it.
func (p *provider) listed(j *providerJob) llm.BatchJob {
	told := j.BatchJob
	told.Items = len(j.Items)
	if !p.unlabelled {
		return told
	}
	if now, err := p.find(j.ID); err != nil || !now.Ended {
		told.Label = ""
	}
	return told
}

func (p *provider) Cancel(_ context.Context, id string) error {
	return p.do(func() error {
		j, err := p.find(id)
		if err == nil {
			j.Cancelled = true
		}
		return err
	})
}

func shift(errs *[]error) error {
	if len(*errs) == 0 {
		return nil
	}
	first := (*errs)[0]
	*errs = (*errs)[1:]
	return first
}

func failed(kind llm.Kind, after time.Duration) error {
	return &llm.Error{Kind: kind, RetryAfter: after, Model: "m", Err: errors.New("no luck")}
}

// bought counts how often each request is in a job that is not cancelled, by its text.
func (p *provider) bought(t *testing.T) map[string]int {
	t.Helper()
	all := map[string]int{}
	require.NoError(t, p.do(func() error {
		for _, j := range p.Jobs {
			for _, i := range j.Items {
				if !j.Cancelled {
					all[i.Request.Messages[0].Text]++
				}
			}
		}
		return nil
	}))
	return all
}

// named is a model that only has a name: the queue asks the batcher.
type named struct{ llm.Model }

func (named) Name() string { return "m at p" }

func candidate(b llm.Batcher, id string) llm.Candidate {
	return llm.Candidate{Model: named{}, Provider: "p", ID: id, Batch: b}
}

func request(text string) llm.Request {
	return llm.Request{Node: "executor", Attempt: 1, Key: "key of " + text, Messages: []llm.Message{{Role: llm.User, Text: text}}}
}

func open(t *testing.T, dir string, o batch.Options) *batch.Queue {
	t.Helper()
	d, err := batch.Open(t.Context(), filepath.Join(dir, "global", "batch.db"), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

// reply is what somebody who asked got, and when.
type reply struct {
	text string
	err  error
	took time.Duration
}

// ask asks for texts at once, and gives what each got.
func ask(ctx context.Context, d *batch.Queue, c llm.Candidate, w batch.Waiter, texts ...string) map[string]reply {
	var mu sync.Mutex
	var all sync.WaitGroup
	replies := map[string]reply{}
	began := time.Now()
	for _, text := range texts {
		all.Go(func() {
			r, err := d.Model(c, w).Complete(ctx, request(text), nil)
			mu.Lock()
			defer mu.Unlock()
			replies[text] = reply{r.Text, err, time.Since(began)}
		})
	}
	all.Wait()
	return replies
}

func kindOf(err error) llm.Kind {
	var e *llm.Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}
