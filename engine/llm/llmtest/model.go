package llmtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	if err := m.fault(t.fault()); err != nil {
		return llm.Response{}, err
	}
	if t.request.Whole {
		onDelta = nil
	}
	return m.speak(ctx, t, onDelta)
}

// fault is the failure of a fault that sends nothing of a reply; nil is one that does.
func (m *model) fault(f Fault) error {
	if refused, ok := f.refusal(m.script.Now()); ok {
		failure := m.fail(refused.kind, errors.New(refused.message))
		failure.Status, failure.RetryAfter = refused.status, refused.wait
		return failure
	}
	switch f.kind() {
	case FaultReset, FaultLost:
		return m.fail(llm.KindTransient, errors.New("scripted fault: the connection was reset"))
	case FaultHTML:
		return m.fail(llm.KindInvalid, fmt.Errorf("scripted fault: %s", f.kind()))
	case FaultMalformed:
		return m.fail(llm.KindTruncated, errors.New("scripted fault: half an event"))
	case FaultEmptyChoices:
		return m.fail(llm.KindTruncated, errors.New("scripted fault: chunks with no choices"))
	default:
		return nil
	}
}

// frames are what the answer to a turn is made of: OpenAI's.
func (m *model) frames(t turn, a answer) []frame {
	if !t.request.Whole {
		return openAI{}.stream(a)
	}
	document := openAI{}.whole(a)
	f := frame{delay: a.delay, bytes: document, whole: len(document), delta: a.text(), refusal: a.refusal, finish: a.finish}
	for _, piece := range a.pieces {
		f.delay += milliseconds(piece.DelayMs)
	}
	return []frame{f}
}

// speak walks the frames as far as the fault lets it.
func (m *model) speak(ctx context.Context, t turn, onDelta func(string)) (llm.Response, error) {
	var text, refusal strings.Builder
	finish, sent, fault, a := "", 0, t.fault(), m.script.answer(t)
	for _, f := range m.frames(t, a) {
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
	response.Usage = a.usage
	if response.Finish == llm.FinishTools {
		return m.withCalls(response, t.request, a)
	}
	return response, m.verdict(response.Finish, refusal.String())
}

// withCalls adds the calls of tools to a response, if they can be made.
func (m *model) withCalls(response llm.Response, r llm.Request, a answer) (llm.Response, error) {
	for _, c := range a.calls {
		arguments, ok := object(c.arguments)
		if !ok {
			return response, m.fail(llm.KindInvalid, fmt.Errorf("the arguments of the tool %q are no JSON object", c.name))
		}
		if !slices.ContainsFunc(r.Tools, func(tool llm.ToolDef) bool { return tool.Name == c.name }) {
			return response, m.fail(llm.KindInvalid, fmt.Errorf("there is no tool %q", c.name))
		}
		response.Calls = append(response.Calls, llm.ToolCall{ID: c.id, Name: c.name, Arguments: arguments})
	}
	if len(response.Calls) == 0 {
		return response, m.fail(llm.KindInvalid, errors.New("it asks for tools, and names none"))
	}
	return response, nil
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
