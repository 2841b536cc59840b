package anthropic

import (
	"strings"

	api "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/respjson"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

	"forge/engine/llm/wire"
)

// stream is a message in events.
type stream = *ssestream.Stream[api.MessageStreamEventUnion]

// read reads to the end. A stream that ends after the stop reason is complete: the whole answer precedes it.
func (a *answer) read(s stream) error {
	defer s.Close() //nolint:errcheck // the rest is not needed
	for s.Next() {
		if err := a.add(s.Current()); err != nil {
			return err
		}
	}
	if a.whole() {
		a.release()
		return a.verdict()
	}
	if err := s.Err(); err != nil {
		return err
	}
	return wire.ErrUnfinished
}

// add handles an event. It ignores unknown kinds of events, blocks and deltas, as the API requires.
func (a *answer) add(e api.MessageStreamEventUnion) error {
	switch e.Type {
	case "message_start":
		a.model = e.Message.Model
		a.count(e.Message.Usage)
	case "content_block_start":
		return a.start(e)
	case "content_block_delta":
		return a.delta(e)
	case "content_block_stop":
		if b := a.blocks[e.Index]; b != nil {
			a.close(b)
		}
	case "message_delta":
		a.recount(e.Usage)
		a.end(string(e.Delta.StopReason), e.Delta.StopDetails)
	}
	return nil
}

func (a *answer) start(e api.MessageStreamEventUnion) error {
	started := e.ContentBlock
	b := &block{kind: started.Type, id: started.ID, name: started.Name, first: started.JSON.Input.Raw()}
	if err := a.begin(e.Index, b); err != nil {
		return err
	}
	a.grow(b, started.Text)
	return nil
}

func (a *answer) delta(e api.MessageStreamEventUnion) error {
	b := a.blocks[e.Index]
	if b == nil || !b.open {
		return wire.Malformed("a piece came for part %d of the answer, which does not exist", e.Index)
	}
	switch e.Delta.Type {
	case "text_delta":
		if !isText(e.Delta.JSON.Text) {
			return wire.Malformed("a piece of the answer is not text")
		}
		a.grow(b, e.Delta.Text)
	case "input_json_delta":
		if !isText(e.Delta.JSON.PartialJSON) {
			return wire.Malformed("a piece of the answer is not text")
		}
		a.grow(b, e.Delta.PartialJSON)
	}
	return nil
}

// isText reports whether a field is a string: the library also converts numbers.
func isText(f respjson.Field) bool { return strings.HasPrefix(f.Raw(), `"`) }

// recount applies the counts at the end, which are for the whole message; missing ones stay.
func (a *answer) recount(u api.MessageDeltaUsage) {
	for _, count := range []struct {
		to   *int
		said bool
		n    int64
	}{
		{&a.usage.Input, u.JSON.InputTokens.Valid(), u.InputTokens},
		{&a.usage.Output, u.JSON.OutputTokens.Valid(), u.OutputTokens},
		{&a.usage.CacheRead, u.JSON.CacheReadInputTokens.Valid(), u.CacheReadInputTokens},
		{&a.usage.CacheWrite, u.JSON.CacheCreationInputTokens.Valid(), u.CacheCreationInputTokens},
	} {
		if count.said {
			*count.to = int(count.n)
		}
	}
}

// release emits text that was held back for a tool that was never called.
func (a *answer) release() {
	if !a.byTool {
		return
	}
	for _, b := range a.order {
		if b.isAnswer() {
			return
		}
	}
	if text := a.text(); text != "" {
		a.onDelta(text)
	}
}
