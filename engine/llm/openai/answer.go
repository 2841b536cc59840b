package openai

import (
	"context"
	"errors"
	"io"
	"strings"

	api "github.com/sashabaranov/go-openai"

	"forge/engine/llm"
	"forge/engine/llm/wire"
)

// answer puts the chunks of one stream together.
type answer struct {
	onDelta func(string)
	settle  func() // called when the answer is whole

	text, refusal strings.Builder
	finish        string // as the provider says it
	model         string
	usage         llm.Usage
}

// read asks and reads to the end. A stream that breaks off behind the finish reason is whole.
func (a *answer) read(ctx context.Context, library *api.Client, request api.ChatCompletionRequest) error {
	stream, err := library.CreateChatCompletionStream(ctx, request)
	if err != nil {
		return err
	}
	defer stream.Close() //nolint:errcheck // nothing more is wanted of it
	for {
		chunk, err := stream.Recv()
		switch {
		case err == nil:
			err = a.add(chunk)
		case a.finish != "":
			return a.verdict()
		case errors.Is(err, io.EOF):
			return wire.ErrUnfinished
		}
		if err != nil {
			return err
		}
	}
}

func (a *answer) add(chunk api.ChatCompletionStreamResponse) error {
	if chunk.Model != "" {
		a.model = chunk.Model
	}
	if chunk.Usage != nil {
		a.usage = usage(chunk.Usage)
	}
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue
		}
		if err := a.grow(choice); err != nil {
			return err
		}
	}
	return nil
}

func (a *answer) grow(choice api.ChatCompletionStreamChoice) error {
	if piece := choice.Delta.Content; piece != "" {
		if a.finish != "" {
			return wire.Malformed("text came behind the end of the answer")
		}
		a.text.WriteString(piece)
		if a.onDelta != nil {
			a.onDelta(piece)
		}
	}
	a.refusal.WriteString(choice.Delta.Refusal)
	if choice.FinishReason != "" && a.finish == "" {
		a.finish = string(choice.FinishReason)
		a.settle()
	}
	return nil
}

// verdict is the error of an answer that came to its end but is not what was asked for.
func (a *answer) verdict() error {
	switch a.reason() {
	case llm.FinishStop:
		return nil
	case llm.FinishLength:
		return &llm.Error{Kind: llm.KindLength, Err: errors.New("the answer reached the limit of its length: ask for less at once, or allow more tokens")}
	case llm.FinishFilter:
		return &llm.Error{Kind: llm.KindRefused, Err: errors.New("the provider's content filter stopped the answer")}
	case llm.FinishRefusal:
		return &llm.Error{Kind: llm.KindRefused, Err: errors.New("the model declined: " + a.refusal.String())}
	default:
		return wire.Malformed("the answer ended with %q, which is none of the known ends", a.finish)
	}
}

// reason maps what providers say; Hugging Face and some gateways have words of their own for stop.
func (a *answer) reason() llm.FinishReason {
	if a.refusal.Len() > 0 {
		return llm.FinishRefusal
	}
	switch a.finish {
	case "stop", "eos", "eos_token", "stop_sequence", "end_turn":
		return llm.FinishStop
	case "length", "max_tokens":
		return llm.FinishLength
	case "content_filter":
		return llm.FinishFilter
	case "refusal":
		return llm.FinishRefusal
	default:
		return ""
	}
}

func (a *answer) response(model string) llm.Response {
	if a.model != "" {
		model = a.model
	}
	return llm.Response{Text: a.text.String(), Finish: a.reason(), Usage: a.usage, Model: model}
}

// usage counts the input that was read from the provider's cache apart from the rest.
func usage(u *api.Usage) llm.Usage {
	counted := llm.Usage{Input: u.PromptTokens, Output: u.CompletionTokens}
	if details := u.PromptTokensDetails; details != nil {
		counted.CacheRead = min(details.CachedTokens, u.PromptTokens)
		counted.Input -= counted.CacheRead
	}
	return counted
}
