package step

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"forge/engine/flow"
	"forge/engine/llm"
	"forge/engine/prompt"
)

// After a model rejects a request as too large, the estimate of its tokens or of the model's window was wrong. The request is
// repeated up to twice, smaller each time.
const (
	repacks        = 2
	overflowRepack = 0.7   // the share of the rejected request's tokens
	leastAnswer    = 2_048 // tokens of an answer, unless the step wants fewer
)

// send makes one request of the document, and returns the whole answer and the parts of the request.
func send[T any](ctx context.Context, env Env, s Step[T], d prompt.Document, round int) (llm.Response, llm.Manifest, Outcome) {
	name := fmt.Sprintf("%s/%d", cmp.Or(s.Key, s.Name), round)
	room, most := env.Room(s.Node, s.MaxTokens)
	s.MaxTokens = most
	var answer llm.Response
	call, err := request(s, d, ModelCall{Name: name, Round: round}, room)
	if err == nil {
		answer, err = ActivityModel.Call(ctx, env.Flow, s.Place, call.Name, call)
	}
	for again := 0; again < repacks && kindOf(err) == llm.KindOverflow; again++ {
		less, can := repack(s, d, call)
		if !can {
			break
		}
		call = less
		answer, err = ActivityModel.Call(ctx, env.Flow, s.Place, call.Name, call)
	}
	made := call.Manifest
	switch {
	case err == nil:
		return answer, made, Outcome{}
	case ctx.Err() != nil || errors.Is(err, context.Canceled):
		return answer, made, Outcome{Terminal, "cancelled"}
	}
	env.Emit(called(env, s.Place, round, made, answer, err))
	return answer, made, Outcome{NeedsHuman, advise(err)}
}

// repack returns a smaller call for a document: with fewer tokens, and with less room for the answer. can is false if it cannot
// become smaller.
func repack[T any](s Step[T], d prompt.Document, call ModelCall) (less ModelCall, can bool) {
	most := call.Request.MaxTokens
	s.MaxTokens = max(min(most, leastAnswer), most/2)
	less = ModelCall{Name: call.Name + smaller, Round: call.Round}
	less, err := request(s, d, less, int(float64(call.Manifest.Tokens)*overflowRepack))
	if large := (*prompt.TooLargeError)(nil); errors.As(err, &large) {
		less, err = request(s, d, less, large.Tokens)
	}
	return less, err == nil && (less.Manifest.Tokens < call.Manifest.Tokens || s.MaxTokens < most)
}

// request builds a call from the document of a step, cut to fit into a window.
func request[T any](s Step[T], d prompt.Document, call ModelCall, window int) (ModelCall, error) {
	messages, made, err := d.Assemble(window)
	call.Manifest = made
	if err != nil {
		return call, err
	}
	call.Request = llm.Request{
		Node: s.Node, Attempt: s.Attempt, Messages: messages, MaxTokens: s.MaxTokens, Tier: s.Tier,
	}
	if !isProse[T]() {
		call.Request.Schema, call.Request.SchemaName = llm.SchemaFor[T](), s.Name
	}
	return call, nil
}

// isProse reports whether T is free text.
func isProse[T any]() bool {
	var none T
	_, is := any(none).(llm.Prose)
	return is
}

// read decodes a T from an answer, or returns what is wrong with it.
func read[T any](text string) (value T, err error) {
	if !isProse[T]() {
		err = llm.Decode(text, &value)
		return value, err
	}
	said, err := llm.ReadProse(text)
	value, _ = any(said).(T)
	return value, err
}

// advise returns what the user can do about a failed call.
func advise(err error) string {
	switch kindOf(err) {
	case llm.KindAuth:
		return sentence(err) + "Then resume the run"
	case llm.KindOverflow:
		return sentence(err) + "Name fewer files, or use a model with a larger context"
	case llm.KindRefused:
		return sentence(err) + "Word the task differently"
	case llm.KindTransient, llm.KindRateLimited, llm.KindTruncated, llm.KindUnavailable:
		return sentence(err) + "Resume the run when it answers"
	case llm.KindMissing:
		return sentence(err) + "Resume the run, and it is asked again"
	case llm.KindInvalid, llm.KindLength, llm.KindUnsupported, llm.KindBudget: // their messages already contain the advice
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
	var failure *flow.Failure
	if errors.As(err, &failure) {
		return llm.Kind(failure.Kind)
	}
	return ""
}
