package llmtest

import (
	"context"
	"errors"
	"fmt"

	"forge/engine/llm"
)

// Model returns the script as a model in process. Its answers are those that the OpenAI adapter gives over HTTP, and its failures have
// the same kinds; of an answer that breaks off it has no part.
func (s *Script) Model() llm.Model { return &model{s} }

type model struct{ script *Script }

// Name is the name that the script gives its model.
func (m *model) Name() string { return m.script.model }

// Complete returns what the script holds for the request.
func (m *model) Complete(ctx context.Context, r llm.Request, onDelta func(string)) (llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, fmt.Errorf("ask %s: %w", m.Name(), err)
	}
	t, err := m.script.take(r)
	if err != nil {
		return llm.Response{}, m.fail(llm.KindInvalid, err)
	}
	began := m.script.Now()
	response, err := m.answer(ctx, t, onDelta)
	response.Latency = m.script.Now().Sub(began)
	var failure *llm.Error
	if err != nil && !errors.As(err, &failure) {
		err = fmt.Errorf("ask %s: %w", m.Name(), err)
	}
	return response, err
}

func (m *model) fail(kind llm.Kind, cause error) *llm.Error {
	return &llm.Error{Kind: kind, Model: m.Name(), Err: cause}
}

// brokenKinds are the kinds of failures in which no answer ends.
var brokenKinds = map[FaultKind]llm.Kind{
	FaultReset: llm.KindTransient, FaultLost: llm.KindTransient, FaultMidError: llm.KindTransient, FaultHTML: llm.KindInvalid,
	FaultMalformed: llm.KindTruncated, FaultEmptyChoices: llm.KindTruncated, FaultCut: llm.KindTruncated, FaultEnd: llm.KindTruncated,
}

// answer returns ctx's bare error if ctx ends.
func (m *model) answer(ctx context.Context, t turn, onDelta func(string)) (llm.Response, error) {
	fault := t.fault()
	if refused, ok := fault.refusal(m.script.Now()); ok {
		failure := m.fail(refused.kind, errors.New(refused.message))
		failure.Status, failure.RetryAfter = refused.status, refused.wait
		return llm.Response{}, failure
	}
	if kind, broken := brokenKinds[fault.kind()]; broken {
		return llm.Response{}, m.fail(kind, fmt.Errorf("scripted fault: %s", fault.kind()))
	}
	if fault.kind() == FaultHang {
		<-ctx.Done()
		return llm.Response{}, ctx.Err()
	}
	a := m.script.answer(t)
	response := llm.Response{Model: m.Name()}
	for _, piece := range append([]Piece{{DelayMs: int(a.delay.Milliseconds())}}, a.pieces...) {
		if err := llm.Pause(ctx, milliseconds(piece.DelayMs)); err != nil {
			return response, err
		}
		response.Text += piece.Delta
		if piece.Delta != "" && onDelta != nil && !t.request.Whole {
			onDelta(piece.Delta)
		}
	}
	response.Finish, response.Usage = reason(a.finish, a.refusal), a.usage
	if response.Finish == llm.FinishTools {
		return m.withCalls(response, a)
	}
	return response, m.verdict(response.Finish, a.refusal)
}

// withCalls adds the calls of tools to a response. Adapters reject arguments that are no JSON object.
func (m *model) withCalls(response llm.Response, a answer) (llm.Response, error) {
	for _, c := range a.calls {
		arguments, ok := object(c.arguments)
		if !ok {
			return response, m.fail(llm.KindInvalid, fmt.Errorf("the arguments of the tool %q are not a JSON object", c.name))
		}
		response.Calls = append(response.Calls, llm.ToolCall{ID: c.id, Name: c.name, Arguments: arguments})
	}
	return response, nil
}

func reason(finish, refusal string) llm.FinishReason {
	switch {
	case refusal != "":
		return llm.FinishRefusal
	case finish == "content_filter":
		return llm.FinishFilter
	case finish == "tool_calls":
		return llm.FinishTools
	default:
		return llm.FinishReason(finish)
	}
}

func (m *model) verdict(finish llm.FinishReason, refusal string) error {
	switch finish {
	case llm.FinishStop:
		return nil
	case llm.FinishLength:
		return m.fail(llm.KindLength, errors.New("the answer reached the limit of its length"))
	case llm.FinishRefusal, llm.FinishFilter:
		return m.fail(llm.KindRefused, fmt.Errorf("the model declined: %s", refusal))
	default:
		return m.fail(llm.KindInvalid, fmt.Errorf("the answer ended with %q", finish))
	}
}
