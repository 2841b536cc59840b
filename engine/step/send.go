package step

import (
	"context"
	"errors"
	"strings"
	"time"

	"forge/engine/llm"
	"forge/engine/prompt"
)

// overflowRepack is what is left of the window when a model says that the request was too large for
// it: our estimate of tokens was too low.
const overflowRepack = 0.7

// send makes one request of the document and returns the whole answer.
func send[T any](ctx context.Context, env Env, s Step[T], d prompt.Document, round int) (llm.Response, Outcome) {
	env.Model = patient(env, s, round)
	answer, err := complete(ctx, env, s, d, env.Window)
	if kindOf(err) == llm.KindOverflow {
		answer, err = complete(ctx, env, s, d, int(float64(env.Window)*overflowRepack))
	}
	if err == nil || kindOf(err) == llm.KindLength { // an answer that is too long is one to repair
		return answer, Outcome{}
	}
	if ctx.Err() != nil {
		return answer, Outcome{Terminal, "cancelled"}
	}
	env.Log.Append(called(env, s.Node, s.Attempt, round, answer, err))
	return answer, Outcome{NeedsHuman, advise(err)}
}

// patient is the model, asked again as the policy says. Each wait is an event: a person is not left in
// front of a silent screen.
func patient[T any](env Env, s Step[T], round int) llm.Model {
	if env.Retry == nil {
		return env.Model
	}
	policy := *env.Retry
	policy.Notify = func(_ int, cause *llm.Error, wait time.Duration) {
		call := called(env, s.Node, s.Attempt, round, llm.Response{}, cause)
		call.Again = wait
		env.Log.Append(call)
	}
	return llm.Retry(env.Model, policy)
}

func complete[T any](ctx context.Context, env Env, s Step[T], d prompt.Document, window int) (llm.Response, error) {
	messages, _, err := d.Assemble(window)
	if err != nil {
		return llm.Response{}, err
	}
	request := llm.Request{
		Node: s.Node, Attempt: s.Attempt, Messages: messages, MaxTokens: s.MaxTokens,
		Schema: llm.SchemaFor[T](), SchemaName: s.Name,
	}
	reserved, err := env.Budget.reserve(request)
	if err != nil {
		return llm.Response{}, err
	}
	answer, err := env.Model.Complete(ctx, request, nil)
	env.Budget.settle(reserved, answer, err)
	return answer, err
}

// advise says what a person can do about a failed call.
func advise(err error) string {
	switch kindOf(err) {
	case llm.KindAuth:
		return sentence(err) + "Check the key and the account, then run again"
	case llm.KindOverflow:
		return sentence(err) + "Name fewer files, or use a model with a larger context"
	case llm.KindRefused:
		return sentence(err) + "Word the task differently"
	case llm.KindTransient, llm.KindRateLimited, llm.KindTruncated:
		return sentence(err) + "The model did not answer; run again when it does"
	case llm.KindInvalid, llm.KindLength: // say themselves what to do
	}
	return err.Error()
}

// sentence ends a message so that advice can follow it.
func sentence(err error) string {
	text := err.Error()
	if strings.HasSuffix(text, "?") || strings.HasSuffix(text, ".") || strings.HasSuffix(text, "!") {
		return text + " "
	}
	return text + ". "
}

func kindOf(err error) llm.Kind {
	var failure *llm.Error
	if errors.As(err, &failure) {
		return failure.Kind
	}
	return ""
}
