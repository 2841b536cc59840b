package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"forge/engine/llm"
	"forge/engine/llm/wire"
)

// answer assembles the replies of one call.
type answer struct {
	onDelta func(string)
	settle  func()         // called when the answer is complete
	offered *[]llm.ToolDef // nil is unknown
	useTool string

	text, refusal strings.Builder
	calls         calls
	made          []llm.ToolCall // the calls, checked
	finish        string         // the provider's finish reason
	model         string
	usage         llm.Usage
	deltas        bool // the replies are chunks
}

func newAnswer(r llm.Request, onDelta func(string), settle func()) *answer {
	return &answer{onDelta: onDelta, settle: settle, offered: &r.Tools, useTool: r.UseTool}
}

// stream reads events to their end. A stream that ends after the finish reason is complete.
func (a *answer) stream(body io.Reader) error {
	lines := bufio.NewReader(body)
	for {
		line, err := lines.ReadBytes('\n')
		event := bytes.TrimSpace(bytes.TrimPrefix(line, []byte("data:")))
		switch {
		case (err != nil || string(event) == "[DONE]") && a.finish != "":
			return a.verdict()
		case err != nil:
			return err
		case string(event) == "[DONE]":
			return wire.ErrUnfinished
		}
		if err := a.take(event); err != nil {
			return err
		}
	}
}

// whole reads one document.
func (a *answer) whole(body io.Reader) error {
	document, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	if err := a.take(document); err != nil {
		return err
	}
	if a.finish == "" {
		return wire.ErrUnfinished
	}
	return a.verdict()
}

func (a *answer) take(event []byte) error {
	var r reply
	if err := json.Unmarshal(event, &r); err != nil {
		return err
	}
	return a.add(r)
}

func (a *answer) add(r reply) error {
	if r.Model != "" {
		a.model = r.Model
	}
	if r.Usage != nil && r.Usage.count() != (llm.Usage{}) { // some send zeros until the end
		a.usage = r.Usage.count()
	}
	repeated := a.deltas && r.Object == "chat.completion"
	a.deltas = a.deltas || r.Object == "chat.completion.chunk"
	for _, choice := range r.Choices {
		if choice.Index != 0 {
			continue
		}
		if repeated && choice.Message == nil {
			choice.Message, choice.Delta = choice.Delta, nil
		}
		if err := a.grow(choice); err != nil {
			return err
		}
	}
	return nil
}

func (a *answer) grow(c choice) error {
	if c.Delta != nil {
		if err := a.append(*c.Delta); err != nil {
			return err
		}
	}
	if c.Message != nil {
		if err := a.append(a.beyond(*c.Message)); err != nil {
			return err
		}
	}
	if c.FinishReason != "" && a.finish == "" {
		a.finish = c.FinishReason
		a.settle()
	}
	return nil
}

// beyond returns the new part of a message. A complete answer is one message; MiniMax, and servers that cannot
// stream, end with a message that repeats the deltas.
func (a *answer) beyond(message said) said {
	rest, isContinued := strings.CutPrefix(string(message.Content), a.text.String())
	if !isContinued {
		rest = ""
	}
	message.Content = content(rest)
	if len(a.calls) > 0 {
		message.ToolCalls = nil
	}
	if a.refusal.Len() > 0 {
		message.Refusal = ""
	}
	return message
}

func (a *answer) append(piece said) error {
	if a.finish != "" && (piece.Content != "" || len(piece.ToolCalls) > 0) {
		return wire.Malformed("more data followed the end of the answer")
	}
	if piece.Content != "" {
		a.text.WriteString(string(piece.Content))
		if a.onDelta != nil {
			a.onDelta(string(piece.Content))
		}
	}
	a.refusal.WriteString(piece.Refusal)
	for _, call := range piece.ToolCalls {
		a.calls.add(call)
	}
	return nil
}

func (a *answer) response(model string) llm.Response {
	if a.model != "" {
		model = a.model
	}
	response := llm.Response{Text: a.text.String(), Calls: a.made, Finish: a.reason(), Usage: a.usage, Model: model}
	if response.Finish == llm.FinishTools && len(a.made) == 0 {
		response.Finish = "" // the calls are invalid
	}
	return response
}

// verdict returns the error of an answer that ended but is not usable.
func (a *answer) verdict() error {
	switch a.reason() {
	case llm.FinishStop:
		return a.without()
	case llm.FinishTools:
		return a.with()
	case llm.FinishLength:
		return &llm.Error{Kind: llm.KindLength, Err: errors.New("the answer reached the limit of its length: ask for less at once, or allow more tokens")}
	case llm.FinishFilter:
		return &llm.Error{Kind: llm.KindRefused, Err: errors.New("the provider's content filter stopped the answer")}
	case llm.FinishRefusal:
		return &llm.Error{Kind: llm.KindRefused, Err: errors.New("the model declined: " + a.refusal.String())}
	default:
		if slices.Contains(brokenOff, a.finish) {
			return wire.Transient("the server broke the answer off (%s)", a.finish)
		}
		return wire.Malformed("the answer ended with the unknown reason %q", a.finish)
	}
}

// brokenOff are the finish reasons of aborted answers: those of OpenRouter and Mistral, vLLM and SGLang, DeepSeek.
var brokenOff = []string{"error", "abort", "insufficient_system_resource"}

// without checks an answer without tool calls.
func (a *answer) without() error {
	if a.useTool == "" {
		return nil
	}
	return wire.Malformed("the model was to ask for a tool (%s), and answered without", a.useTool)
}

// with checks an answer with tool calls.
func (a *answer) with() error {
	if len(a.calls) == 0 {
		return wire.Malformed("the answer ended with %q, but asks for no tool", a.finish)
	}
	made, err := a.calls.checked(a.offered)
	if err != nil {
		return err
	}
	for _, call := range made {
		if a.useTool != "" && a.useTool != llm.AnyTool && a.useTool != call.Name {
			return wire.Malformed("the model was to ask for the tool %s, and asked for %s", a.useTool, call.Name)
		}
	}
	a.made = made
	return nil
}

// reason maps finish reasons; Hugging Face and some gateways have other words for stop, and some local servers send stop for tools.
func (a *answer) reason() llm.FinishReason {
	if a.refusal.Len() > 0 {
		return llm.FinishRefusal
	}
	switch a.finish {
	case "stop", "eos", "eos_token", "stop_sequence", "end_turn":
		if len(a.calls) > 0 {
			return llm.FinishTools
		}
		return llm.FinishStop
	case "tool_calls", "function_call", "tool_use":
		return llm.FinishTools
	case "length", "max_tokens", "model_length":
		return llm.FinishLength
	case "content_filter":
		return llm.FinishFilter
	case "refusal":
		return llm.FinishRefusal
	default:
		return ""
	}
}
