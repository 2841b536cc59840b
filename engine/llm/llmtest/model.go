package llmtest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"forge/engine/llm"
)

// Model returns the script as a model in process. Its failures have the kinds that the same faults have
// over HTTP through the OpenAI adapter.
func (s *Script) Model() llm.Model { return &model{s} }

type model struct{ script *Script }

// Name is the name that the script gives its model.
func (m *model) Name() string { return m.script.model }

// Complete gives what the script holds for the request.
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

// answer returns ctx's bare error if ctx ends.
func (m *model) answer(ctx context.Context, t turn, onDelta func(string)) (llm.Response, error) {
	fault := Fault{}
	if t.entry.Fault != nil {
		fault = *t.entry.Fault
	}
	if refused, ok := fault.refusal(m.script.Now()); ok {
		failure := m.fail(refused.kind, errors.New(refused.message))
		failure.Status, failure.RetryAfter = refused.status, refused.wait
		return llm.Response{}, failure
	}
	switch fault.kind() {
	case FaultReset:
		return llm.Response{}, m.fail(llm.KindTransient, errors.New("scripted fault: the connection was reset"))
	case FaultHTML, FaultMalformed:
		return llm.Response{}, m.fail(llm.KindInvalid, fmt.Errorf("scripted fault: %s", fault.kind()))
	case FaultEmptyChoices:
		return llm.Response{}, m.fail(llm.KindTruncated, errors.New("scripted fault: chunks with no choices"))
	}
	return m.speak(ctx, t, fault, onDelta)
}

// speak walks the frames as far as the fault lets it.
func (m *model) speak(ctx context.Context, t turn, fault Fault, onDelta func(string)) (llm.Response, error) {
	var text, refusal strings.Builder
	finish, sent := "", 0
	for _, f := range m.script.frames(t) {
		if fault.stops() && sent+f.whole > fault.AfterBytes {
			break
		}
		sent += len(f.bytes)
		if err := llm.Pause(ctx, f.delay); err != nil {
			return llm.Response{Text: text.String(), Model: m.Name()}, err
		}
		text.WriteString(f.delta)
		refusal.WriteString(f.refusal)
		finish += f.finish
		if f.delta != "" && onDelta != nil {
			onDelta(f.delta)
		}
	}
	response := llm.Response{Text: text.String(), Model: m.Name(), Finish: reason(finish, refusal.String())}
	if finish == "" {
		return response, m.breakOff(ctx, fault)
	}
	response.Usage = m.usage(t)
	return response, m.verdict(response.Finish, refusal.String())
}

// stops tells the faults after which no more bytes come.
func (f Fault) stops() bool {
	switch f.kind() {
	case FaultCut, FaultEnd, FaultHang, FaultMidError:
		return true
	default:
		return false
	}
}

// breakOff is how an answer ends that has no end.
func (m *model) breakOff(ctx context.Context, fault Fault) error {
	switch fault.kind() {
	case FaultHang:
		<-ctx.Done()
		return ctx.Err()
	case FaultMidError:
		return m.fail(llm.KindTransient, errors.New("scripted fault: a server error in the middle of the answer"))
	default:
		return m.fail(llm.KindTruncated, errors.New("scripted fault: the answer broke off before its end"))
	}
}

func (m *model) usage(t turn) llm.Usage {
	if t.entry.Reply == nil {
		return brokenOff.count(t.request)
	}
	return t.entry.Reply.count(t.request)
}

func reason(finish, refusal string) llm.FinishReason {
	switch {
	case refusal != "":
		return llm.FinishRefusal
	case finish == "content_filter":
		return llm.FinishFilter
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
