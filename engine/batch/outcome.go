package batch

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"forge/engine/llm"
)

// outcome is the stored result of an item.
type outcome struct {
	Response llm.Response
	Failure  *failure `json:",omitempty"`
}

// failure is a stored *llm.Error.
type failure struct {
	Kind       llm.Kind
	Status     int           `json:",omitempty"`
	RetryAfter time.Duration `json:",omitempty"`
	Feature    llm.Feature   `json:",omitempty"`
	Model      string
	Message    string
}

func outcomeOf(r llm.BatchResult, model string) outcome {
	o := outcome{Response: r.Response}
	if r.Err == nil {
		return o
	}
	o.Failure = &failure{Kind: llm.KindInvalid, Model: model, Message: r.Err.Error()}
	if e := (*llm.Error)(nil); errors.As(r.Err, &e) {
		*o.Failure = failure{e.Kind, e.Status, e.RetryAfter, e.Feature, e.Model, fmt.Sprint(e.Err)}
	}
	return o
}

// expired returns the outcome of an item that was never answered.
func expired(model string) outcome {
	return outcomeOf(llm.BatchResult{Err: &llm.Error{
		Kind: llm.KindMissing, Model: model, Err: errors.New("the batch ended before it was answered"),
	}}, model)
}

// isFleeting reports whether a repeated request may have another result.
func (o outcome) isFleeting() bool {
	if o.Failure == nil {
		return false
	}
	switch o.Failure.Kind {
	case llm.KindTransient, llm.KindRateLimited, llm.KindTruncated, llm.KindMissing, llm.KindAuth, llm.KindUnavailable, llm.KindBudget:
		return true
	default:
		return false
	}
}

// isMissing reports whether the provider let the item expire.
func (o outcome) isMissing() bool { return o.Failure != nil && o.Failure.Kind == llm.KindMissing }

// result converts the outcome to the result of Complete.
func (o outcome) result() (llm.Response, error) {
	if f := o.Failure; f != nil {
		return o.Response, &llm.Error{
			Kind: f.Kind, Status: f.Status, RetryAfter: f.RetryAfter, Feature: f.Feature, Model: f.Model, Err: errors.New(f.Message),
		}
	}
	return o.Response, nil
}

func (o outcome) marshal() ([]byte, error) { return json.Marshal(o) }

func unmarshalOutcome(data []byte) (o outcome, err error) {
	err = json.Unmarshal(data, &o)
	return o, err
}
