package llmtest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"forge/engine/llm"
)

// Batcher returns the script as a provider of batches in process. Its jobs are those of the script, whichever way
// they were submitted, and its failures have the kinds that the same faults have over HTTP.
func (s *Script) Batcher() llm.Batcher { return &batcher{&model{s}} }

type batcher struct{ model *model }

// enter lets a call fail as the script says. lost is a call that is made, and whose reply nobody hears.
func (b *batcher) enter(ctx context.Context, c Call) (lost error, err error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("ask %s: %w", b.model.Name(), err)
	}
	fault, _ := b.model.script.takeCall(c)
	switch kind := fault.kind(); kind {
	case "":
		return nil, nil
	case FaultLost:
		return b.model.fail(llm.KindTransient, errors.New("scripted fault: the reply was lost")), nil
	case FaultCut, FaultEnd, FaultMalformed, FaultEmptyChoices, FaultMidError:
		return b.model.fail(llm.KindTruncated, errors.New("scripted fault: the reply broke off")), nil
	case FaultHang:
		<-ctx.Done()
		return nil, fmt.Errorf("ask %s: %w", b.model.Name(), ctx.Err())
	default:
		return nil, b.model.fault(fault)
	}
}

// Submit implements llm.Batcher.
func (b *batcher) Submit(ctx context.Context, label string, items []llm.BatchItem) (llm.BatchJob, error) {
	lost, err := b.enter(ctx, CallSubmit)
	if err != nil {
		return llm.BatchJob{}, err
	}
	var keys []string
	var requests []asked
	for _, i := range items {
		i.Request.Whole = true
		keys, requests = append(keys, i.Key), append(requests, asked{Request: i.Request})
	}
	j := b.model.script.submit(job{label: label, metadata: map[string]any{"label": label}}, keys, requests)
	if lost != nil {
		return llm.BatchJob{}, lost
	}
	return b.job(*j), nil
}

func (b *batcher) job(j job) llm.BatchJob {
	return llm.BatchJob{
		ID: "job-" + strconv.Itoa(j.number), Label: j.label, Ended: !j.ended.IsZero(), Submitted: j.submitted, Expires: j.expires,
	}
}

// find is one call about a job.
func (b *batcher) find(ctx context.Context, c Call, id string) (job, error) {
	lost, err := b.enter(ctx, c)
	if err != nil {
		return job{}, err
	}
	var number int
	if _, err := fmt.Sscanf(id, "job-%d", &number); err != nil {
		number = 0
	}
	j, ok := b.model.script.job(number, c == CallPoll)
	if !ok {
		return job{}, b.model.fail(llm.KindInvalid, fmt.Errorf("there is no batch %q", id))
	}
	return j, lost
}

// Poll implements llm.Batcher.
func (b *batcher) Poll(ctx context.Context, id string) (llm.BatchJob, error) {
	j, err := b.find(ctx, CallPoll, id)
	if err != nil {
		return llm.BatchJob{}, err
	}
	return b.job(j), nil
}

// List implements llm.Batcher.
func (b *batcher) List(ctx context.Context, since time.Time) ([]llm.BatchJob, error) {
	lost, err := b.enter(ctx, CallList)
	if err = errors.Join(err, lost); err != nil {
		return nil, err
	}
	var all []llm.BatchJob
	for _, j := range b.model.script.newest() {
		if !j.submitted.Before(since) {
			all = append(all, b.job(j))
		}
	}
	return all, nil
}

// Cancel implements llm.Batcher.
func (b *batcher) Cancel(ctx context.Context, id string) error {
	j, err := b.find(ctx, CallCancel, id)
	if err == nil {
		b.model.script.cancel(j.number)
	}
	return err
}

// Results implements llm.Batcher.
func (b *batcher) Results(ctx context.Context, id string) (map[string]llm.BatchResult, error) {
	j, err := b.find(ctx, CallResults, id)
	if err != nil {
		return nil, err
	}
	if j.ended.IsZero() {
		return nil, b.model.fail(llm.KindTransient, fmt.Errorf("the batch %s has not ended", id))
	}
	results := map[string]llm.BatchResult{}
	for _, i := range j.items {
		results[i.key] = b.result(ctx, j, i)
	}
	return results, nil
}

func (b *batcher) result(ctx context.Context, j job, i item) llm.BatchResult {
	switch j.outcome(i) {
	case expired, canceled:
		return llm.BatchResult{Err: b.model.fail(llm.KindMissing, errors.New("the batch ended before the request was answered"))}
	case errored:
		if i.refused != nil {
			return llm.BatchResult{Err: b.model.fail(llm.KindInvalid, i.refused)}
		}
		refused := i.refusal(b.model.script.Now())
		kind := refused.kind
		if kind == "" {
			kind = llm.KindTransient
		}
		failure := b.model.fail(kind, errors.New(refused.message))
		failure.Status = refused.status
		return llm.BatchResult{Err: failure}
	}
	i.turn.entry.Reply = undelayed(i.turn.reply())
	response, err := b.model.speak(ctx, i.turn, nil)
	return llm.BatchResult{Response: response, Err: err}
}

// undelayed is a reply without pauses: the answer of a batch was made before it is fetched.
func undelayed(r Reply) *Reply {
	text, _ := r.text() // checked when the script was made
	if r.Refusal == "" {
		r = Reply{Stream: []Piece{{Delta: text}}, ToolCalls: r.ToolCalls, Thinking: r.Thinking, Finish: r.Finish, Usage: r.Usage}
	}
	return &r
}
