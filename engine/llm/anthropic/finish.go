package anthropic

import (
	"errors"

	api "github.com/anthropics/anthropic-sdk-go"

	"forge/engine/llm"
	"forge/engine/llm/wire"
)

// finish maps the stop reason; empty for an unknown one. Some gateways report the end of the turn for a tool call.
func (a *answer) finish() llm.FinishReason {
	switch api.StopReason(a.stop) {
	case api.StopReasonEndTurn, api.StopReasonStopSequence, api.StopReasonToolUse:
		if len(a.calls()) > 0 {
			return llm.FinishTools
		}
		return llm.FinishStop
	case api.StopReasonMaxTokens, api.StopReasonModelContextWindowExceeded:
		return llm.FinishLength
	case api.StopReasonRefusal:
		return llm.FinishRefusal
	default:
		return ""
	}
}

// verdict returns the error of an answer that ended but is not usable.
func (a *answer) verdict() error {
	switch {
	case !a.whole():
		return wire.ErrUnfinished
	case api.StopReason(a.stop) == api.StopReasonModelContextWindowExceeded:
		return &llm.Error{Kind: llm.KindOverflow, Err: errors.New("the request and its answer are longer than what the model can hold")}
	}
	switch a.finish() {
	case llm.FinishStop, llm.FinishTools:
		return a.callFault()
	case llm.FinishLength:
		return &llm.Error{Kind: llm.KindLength, Err: errors.New("the answer reached the limit of its length: ask for less at once, or allow more tokens")}
	case llm.FinishRefusal:
		return &llm.Error{Kind: llm.KindRefused, Err: errors.New("the model declined" + because(a.reason))}
	default:
		return wire.Malformed("the answer ended with the unknown reason %q", a.stop)
	}
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

// callFault returns what is wrong with the tool calls.
func (a *answer) callFault() error {
	answers, ids := 0, map[string]bool{}
	for _, b := range a.order {
		if b.isAnswer() {
			answers++
		}
	}
	calls := a.calls()
	if answers > 1 {
		return wire.Malformed("the model gave %d answers instead of one", answers)
	}
	if answers+len(calls) == 0 && api.StopReason(a.stop) == api.StopReasonToolUse {
		return wire.Malformed("the model announced a tool call and made none")
	}
	for _, call := range calls {
		switch {
		case !a.mayCall(call.Name):
			return wire.Malformed("the model asked for a tool that it was not offered: %q", call.Name)
		case !isObject(call.Arguments):
			return wire.Malformed("the model asked for the tool %q with something that is not a JSON object", call.Name)
		case call.ID == "" || ids[call.ID]:
			return wire.Malformed("the model asked for the tool %q without an id of its own", call.Name)
		}
		ids[call.ID] = true
	}
	return nil
}

func (a *answer) mayCall(name string) bool {
	for _, tool := range a.offered {
		if tool.Name == name {
			return true
		}
	}
	return a.anyTool
}
