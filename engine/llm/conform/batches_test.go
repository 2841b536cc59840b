package conform_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"forge/engine/llm"
	"forge/engine/llm/llmtest"
)

// Labels is the ability of a batch API to keep the label of a job.
const Labels Ability = "labels"

// RunBatches runs the checks of batches, for an adapter whose models are also an llm.Batcher.
func RunBatches(t *testing.T, a Adapter) {
	t.Helper()
	for _, c := range batchChecks {
		if c.waysOf(a) == nil {
			continue
		}
		t.Run(fmt.Sprintf("%s/%s", a.Name, c.name), func(t *testing.T) {
			t.Parallel()
			if err := c.try(t.Context(), a, whole, t.Logf); err != nil {
				t.Error(err)
			}
		})
	}
}

// CheckBatch is Check for the checks of batches.
func CheckBatch(ctx context.Context, a Adapter, name string) error {
	for _, c := range batchChecks {
		if c.name == name && c.waysOf(a) != nil {
			return c.try(ctx, a, whole, func(string, ...any) {})
		}
	}
	return fmt.Errorf("no check %q for batches of the adapter %s", name, a.Name)
}

// The checks of jobs.
var batchChecks = []check{
	{name: "a job is answered", run: checkJobAnswered},
	{name: "answers end as others do", run: checkJobEnds},
	{name: "what expired is missing", run: checkJobExpires},
	{name: "what was cancelled is missing", run: checkJobCancelled},
	{name: "jobs are listed", run: checkJobsListed},
	{name: "a lost job is found by its label", needs: []Ability{Labels}, run: checkJobLost},
	{name: "calls that fail", run: checkJobCallsFail},
	{name: "results cut at every byte", run: checkResultsCut},
	{name: "no such job", run: checkNoJob},
}

// batches starts a server and returns the adapter as a batcher.
func (t *trial) batches(plan llmtest.Batch, entries ...llmtest.Entry) (*session, llm.Batcher, error) {
	s, err := t.serve(entries...)
	if err != nil {
		return nil, nil, err
	}
	s.script.Batch = plan
	b, ok := t.model(s, nil).(llm.Batcher)
	if !ok {
		return nil, nil, errors.New("it does no batches")
	}
	return s, b, nil
}

// asking returns an item with its own question.
func asking(key string) llm.BatchItem {
	r := hello()
	r.Messages[0].Text = "This is " + key + "."
	return llm.BatchItem{Key: key, Request: r}
}

func answering(key string, reply llmtest.Reply) llmtest.Entry {
	return llmtest.Entry{Match: llmtest.Match{Contains: []string{"This is " + key + "."}}, Reply: &reply}
}

func checkJobAnswered(t *trial) error {
	_, b, err := t.batches(llmtest.Batch{Polls: 1}, answering("one", llmtest.Reply{Text: "first 😀", Usage: llmtest.UsageLine{Input: 3, Output: 4}}),
		answering("two", llmtest.Reply{Text: "second"}))
	if err != nil {
		return err
	}
	job, err := b.Submit(t.within(), "label-1", []llm.BatchItem{asking("one"), asking("two")})
	if err != nil {
		return err
	}
	if job.ID == "" || job.Ended || !job.Submitted.Equal(clock) || !job.Expires.IsZero() && !job.Expires.Equal(clock.Add(24*time.Hour)) {
		return fmt.Errorf("the job that was submitted is %+v", job)
	}
	if polled, err := b.Poll(t.within(), job.ID); err != nil || polled.Ended {
		return fmt.Errorf("the job has ended too soon: %+v, %w", polled, err)
	}
	if polled, err := b.Poll(t.within(), job.ID); err != nil || !polled.Ended || polled.ID != job.ID {
		return fmt.Errorf("the job has not ended: %+v, %w", polled, err)
	}
	results, err := b.Results(t.within(), job.ID)
	if err != nil {
		return err
	}
	one, two := results["one"], results["two"]
	return errors.Join(one.Err, two.Err, same("the number of results", 2, len(results)), same("the text", "first 😀", one.Response.Text),
		same("the text", "second", two.Response.Text), same("the finish reason", llm.FinishStop, one.Response.Finish),
		same("the usage", llm.Usage{Input: 3, Output: 4}, one.Response.Usage), same("the model", llmtest.DefaultModel, one.Response.Model))
}

// submitted submits one item for each entry, which ends at once, and returns the results in order.
func (t *trial) submitted(faults []llmtest.Fault) ([]llm.BatchResult, error) {
	var entries []llmtest.Entry
	var items []llm.BatchItem
	for i, fault := range faults {
		key := fmt.Sprintf("item-%d", i)
		e := answering(key, llmtest.Reply{Text: "half of it"})
		e.Fault = &fault
		if fault.Status != 0 || fault.Kind == llmtest.FaultOverflow || fault.Kind == llmtest.FaultExpire {
			e.Reply = nil
		}
		entries, items = append(entries, e), append(items, asking(key))
	}
	_, b, err := t.batches(llmtest.Batch{}, entries...)
	if err != nil {
		return nil, err
	}
	job, err := b.Submit(t.within(), "label", items)
	if err != nil {
		return nil, err
	}
	if _, err := b.Poll(t.within(), job.ID); err != nil {
		return nil, err
	}
	results, err := b.Results(t.within(), job.ID)
	var ordered []llm.BatchResult
	for _, i := range items {
		ordered = append(ordered, results[i.Key])
	}
	return ordered, err
}

// expected returns what is wrong with results that must all have failed as given.
func (t *trial) expected(results []llm.BatchResult, kinds ...llm.Kind) error {
	var problems []error
	for i, result := range results {
		if _, err := t.failed(said{Response: result.Response, err: result.Err}, kinds[i]); err != nil {
			problems = append(problems, fmt.Errorf("item %d: %w", i, err))
		}
	}
	return errors.Join(problems...)
}

func checkJobEnds(t *trial) error {
	results, err := t.submitted([]llmtest.Fault{
		{Kind: llmtest.FaultLength}, {Kind: llmtest.FaultFilter}, {Status: 400}, {Status: 500}, {Status: 429},
		{Kind: llmtest.FaultOverflow}, {Status: 400, Message: "the key " + key + " is in this"},
	})
	if err != nil {
		return err
	}
	return t.expected(results, llm.KindLength, llm.KindRefused, llm.KindInvalid, llm.KindTransient, llm.KindRateLimited, llm.KindOverflow, llm.KindInvalid)
}

// missing returns an error if a result is not missing.
func missing(results map[string]llm.BatchResult, key string) error {
	result, there := results[key]
	var failure *llm.Error
	if there && (!errors.As(result.Err, &failure) || failure.Kind != llm.KindMissing) {
		return fmt.Errorf("the item %s is not missing: %+v", key, result)
	}
	return nil
}

func checkJobExpires(t *trial) error {
	_, b, err := t.batches(llmtest.Batch{}, answering("one", llmtest.Reply{Text: "in time"}),
		llmtest.Entry{Match: llmtest.Match{Contains: []string{"This is two."}}, Fault: &llmtest.Fault{Kind: llmtest.FaultExpire}})
	if err != nil {
		return err
	}
	job, err := b.Submit(t.within(), "label", []llm.BatchItem{asking("one"), asking("two")})
	if err != nil {
		return err
	}
	results, err := b.Results(t.within(), job.ID)
	if err != nil {
		return err
	}
	return errors.Join(same("the text", "in time", results["one"].Response.Text), missing(results, "two"))
}

func checkJobCancelled(t *trial) error {
	_, b, err := t.batches(llmtest.Batch{Polls: -1}, answering("one", llmtest.Reply{Text: "late"}))
	if err != nil {
		return err
	}
	job, err := b.Submit(t.within(), "label", []llm.BatchItem{asking("one")})
	if err != nil {
		return err
	}
	if results, err := b.Results(t.within(), job.ID); err == nil {
		return fmt.Errorf("there are results of a job that runs: %+v", results)
	}
	if err := b.Cancel(t.within(), job.ID); err != nil {
		return err
	}
	if err := b.Cancel(t.within(), job.ID); err != nil {
		return fmt.Errorf("to cancel what has ended is an error: %w", err)
	}
	polled, err := b.Poll(t.within(), job.ID)
	if err != nil || !polled.Ended {
		return fmt.Errorf("the job did not end: %+v, %w", polled, err)
	}
	results, err := b.Results(t.within(), job.ID)
	return errors.Join(err, missing(results, "one"))
}

// checkJobsListed lists more jobs than fit on a page of any provider.
func checkJobsListed(t *trial) error {
	const count = 230
	e := answering("one", llmtest.Reply{Text: "a"})
	e.Times = count
	s, b, err := t.batches(llmtest.Batch{}, e)
	if err != nil {
		return err
	}
	now := clock
	s.script.Now = func() time.Time { return now }
	var ids []string
	for range count {
		now = now.Add(time.Minute)
		job, err := b.Submit(t.within(), "label", []llm.BatchItem{asking("one")})
		if err != nil {
			return err
		}
		ids = append([]string{job.ID}, ids...)
	}
	for since, want := range map[time.Time][]string{{}: ids, now.Add(-3 * time.Minute): ids[:4], now.Add(time.Minute): nil} {
		jobs, err := b.List(t.within(), since)
		var got []string
		for _, job := range jobs {
			got = append(got, job.ID)
		}
		if err != nil || !reflect.DeepEqual(want, got) {
			return fmt.Errorf("since %s %d jobs are listed of %d: %v, %w", since, len(got), len(want), got, err)
		}
	}
	return nil
}

// checkJobLost submits a job whose reply is lost: the error must not deny the job, and List must find it.
func checkJobLost(t *trial) error {
	s, b, err := t.batches(llmtest.Batch{}, answering("one", llmtest.Reply{Text: "found"}),
		llmtest.Entry{Match: llmtest.Match{Call: llmtest.CallSubmit}, Fault: &llmtest.Fault{Kind: llmtest.FaultLost}})
	if err != nil {
		return err
	}
	_, err = b.Submit(t.within(), "label-7", []llm.BatchItem{asking("one")})
	if _, err := t.failed(said{err: err}, llm.KindTransient, llm.KindTruncated); err != nil {
		return err
	}
	jobs, err := b.List(t.within(), clock.Add(-time.Second))
	if err != nil || len(jobs) != 1 || jobs[0].Label != "label-7" {
		return fmt.Errorf("the lost job is not listed: %+v, %w", jobs, err)
	}
	results, err := b.Results(t.within(), jobs[0].ID)
	return errors.Join(err, same("the text", "found", results["one"].Response.Text), same("the number of jobs", 1, s.script.Jobs()))
}

// checkJobCallsFail makes each call fail in several ways: the failure must be that of any other call, after a single call.
func checkJobCallsFail(t *trial) error {
	kinds := map[llmtest.Fault]llm.Kind{
		{Status: 401}: llm.KindAuth, {Status: 429, RetryAfter: "7"}: llm.KindRateLimited, {Status: 500}: llm.KindTransient,
		{Status: 400, Message: "not with " + key}: llm.KindInvalid, {Kind: llmtest.FaultReset}: llm.KindTransient, {Kind: llmtest.FaultHTML}: llm.KindInvalid,
	}
	calls := map[llmtest.Call]func(b llm.Batcher, id string) error{
		llmtest.CallSubmit: func(b llm.Batcher, _ string) error {
			_, err := b.Submit(t.within(), "label", []llm.BatchItem{asking("one")})
			return err
		},
		llmtest.CallPoll:    func(b llm.Batcher, id string) error { _, err := b.Poll(t.within(), id); return err },
		llmtest.CallResults: func(b llm.Batcher, id string) error { _, err := b.Results(t.within(), id); return err },
		llmtest.CallList:    func(b llm.Batcher, _ string) error { _, err := b.List(t.within(), time.Time{}); return err },
		llmtest.CallCancel:  func(b llm.Batcher, id string) error { return b.Cancel(t.within(), id) },
	}
	var problems []error
	for call, ask := range calls {
		for fault, kind := range kinds {
			if fault.Kind == llmtest.FaultReset && call != llmtest.CallSubmit {
				continue // Go's transport retries idempotent requests by itself
			}
			if err := t.jobCallFails(call, fault, kind, ask); err != nil {
				problems = append(problems, fmt.Errorf("%s, %+v: %w", call, fault, err))
			}
		}
	}
	return errors.Join(problems...)
}

func (t *trial) jobCallFails(call llmtest.Call, fault llmtest.Fault, kind llm.Kind, ask func(llm.Batcher, string) error) error {
	s, b, err := t.batches(llmtest.Batch{}, answering("one", llmtest.Reply{Text: "a"}))
	if err != nil {
		return err
	}
	job, err := b.Submit(t.within(), "label", []llm.BatchItem{asking("one")})
	if err != nil {
		return err
	}
	failing, err := t.serveAny(llmtest.Entry{Match: llmtest.Match{Call: call}, Fault: &fault})
	if err != nil {
		return err
	}
	failing.script.Adopt(s.script)
	again, ok := t.model(failing, nil).(llm.Batcher)
	if !ok {
		return errors.New("it does no batches")
	}
	failure, err := t.failed(said{err: ask(again, job.ID)}, kind)
	if err == nil && fault.RetryAfter != "" {
		err = same("the wait", 7*time.Second, failure.RetryAfter)
	}
	return errors.Join(err, failing.script.Verify())
}

// checkResultsCut truncates the results of a job at each of their bytes: no part may be taken for all of them.
func checkResultsCut(t *trial) error {
	var problems []error
	for _, kind := range []llmtest.FaultKind{llmtest.FaultCut, llmtest.FaultEnd} {
		if err := t.resultsCutBy(kind); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", kind, err))
		}
	}
	return errors.Join(problems...)
}

func (t *trial) resultsCutBy(kind llmtest.FaultKind) error {
	entries := []llmtest.Entry{answering("one", llmtest.Reply{Text: "first"}), answering("two", llmtest.Reply{Text: "second"})}
	const most = 1 << 12
	for offset := range most {
		entries = append(entries, llmtest.Entry{Match: llmtest.Match{Call: llmtest.CallResults}, Fault: &llmtest.Fault{Kind: kind, AfterBytes: offset}})
	}
	s, err := t.serveAny(entries...)
	if err != nil {
		return err
	}
	b, ok := t.model(s, nil).(llm.Batcher)
	if !ok {
		return errors.New("it does no batches")
	}
	job, err := b.Submit(t.within(), "label", []llm.BatchItem{asking("one"), asking("two")})
	if err != nil {
		return err
	}
	for offset := range most {
		results, err := b.Results(t.within(), job.ID)
		if err != nil {
			if _, err := t.failed(said{err: err}, llm.KindTruncated, llm.KindTransient, llm.KindInvalid); err != nil {
				return fmt.Errorf("byte %d: %w", offset, err)
			}
			continue
		}
		if len(results) == 2 && results["one"].Response.Text == "first" && results["two"].Response.Text == "second" {
			return nil
		}
		return fmt.Errorf("byte %d: a part of the results was taken for all: %+v", offset, results)
	}
	return errors.New("they never came whole")
}

func checkNoJob(t *trial) error {
	_, b, err := t.batches(llmtest.Batch{})
	if err != nil {
		return err
	}
	for _, id := range []string{"batch_9", "msgbatch_9", "../models", "a b", ""} {
		_, err := b.Poll(t.within(), id)
		if _, err := t.failed(said{err: err}, llm.KindInvalid); err != nil {
			return fmt.Errorf("%q: %w", id, err)
		}
		if strings.Contains(err.Error(), "%!") {
			return err
		}
	}
	return nil
}
