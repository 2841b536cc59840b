package anthropic

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	api "github.com/anthropics/anthropic-sdk-go"

	"forge/engine/llm"
	"forge/engine/llm/wire"
)

// answer assembles the blocks of one message, from a stream or a document.
type answer struct {
	onDelta func(string)
	settle  func()        // called when the answer is complete
	offered []llm.ToolDef // tools that may be called
	anyTool bool          // the request is unknown: any tool may have been offered
	byTool  bool          // the answer is expected as the input of answerTool: text is held back

	blocks map[int64]*block
	order  []*block
	stop   string // the provider's stop reason
	reason string // of a refusal
	model  string
	usage  llm.Usage
}

// block is a part of a message: a text, or a tool call. Thoughts and other kinds are dropped.
type block struct {
	kind, id, name string
	text           strings.Builder // of a call: its input
	first          string          // input from the start event; used if no piece follows
	open           bool            // more may follow
}

const (
	textBlock = "text"
	toolBlock = "tool_use"
)

func newAnswer(f family, r llm.Request, onDelta func(string), settle func()) *answer {
	if onDelta == nil {
		onDelta = func(string) {}
	}
	return &answer{
		onDelta: onDelta, settle: settle, offered: r.Tools, byTool: f.answersByTool(r), blocks: map[int64]*block{},
	}
}

// take reads a message that arrived in one piece.
func (a *answer) take(m *api.Message) error {
	switch {
	case m != nil && strings.TrimSpace(m.RawJSON()) == "{}":
		return wire.ErrUnfinished // empty, without a stop reason
	case m == nil || !m.JSON.Content.Valid() || !m.JSON.Role.Valid():
		return wire.Malformed("the server sent something that is not an answer: there is no content in it")
	}
	a.model = m.Model
	a.count(m.Usage)
	for i, content := range m.Content {
		if content.Type == textBlock && !isText(content.JSON.Text) {
			return wire.Malformed("a piece of the answer is not text")
		}
		b := &block{kind: content.Type, id: content.ID, name: content.Name, first: string(content.Input)}
		if err := a.begin(int64(i), b); err != nil {
			return err
		}
		a.grow(b, content.Text)
		a.close(b)
	}
	a.end(string(m.StopReason), m.StopDetails)
	return a.verdict()
}

func (a *answer) begin(index int64, b *block) error {
	switch {
	case a.stop != "":
		return wire.Malformed("more data followed the end of the answer")
	case a.blocks[index] != nil:
		return wire.Malformed("part %d of the answer began twice", index)
	}
	b.open = true
	a.blocks[index] = b
	a.order = append(a.order, b)
	return nil
}

// close ends a block. The input of a tool without parameters may be missing.
func (a *answer) close(b *block) {
	if b.kind == toolBlock && b.text.Len() == 0 {
		a.grow(b, cmp.Or(b.first, "{}"))
	}
	b.open = false
}

// grow adds a piece. If a tool gives the answer, text outside of it is no part of it; whether there is only text is
// known at the end.
func (a *answer) grow(b *block, piece string) {
	if piece == "" || b.kind != textBlock && b.kind != toolBlock {
		return
	}
	b.text.WriteString(piece)
	if b.isAnswer() || b.kind == textBlock && !a.byTool {
		a.onDelta(piece)
	}
}

func (b *block) isAnswer() bool { return b.kind == toolBlock && b.name == answerTool }

func (a *answer) end(stop string, details api.RefusalStopDetails) {
	if stop == "" || a.stop != "" {
		return
	}
	a.stop, a.reason = stop, details.Explanation
	a.settle()
}

// count records the billed tokens; input excludes those that its cache read and wrote.
func (a *answer) count(u api.Usage) {
	a.usage = llm.Usage{
		Input: int(u.InputTokens), Output: int(u.OutputTokens),
		CacheRead: int(u.CacheReadInputTokens), CacheWrite: int(u.CacheCreationInputTokens),
	}
}

// whole reports whether an answer is complete: it has a stop reason, and all its parts are closed.
func (a *answer) whole() bool {
	for _, b := range a.order {
		if b.open {
			return false
		}
	}
	return a.stop != ""
}

func (a *answer) response(model string) llm.Response {
	if a.model != "" {
		model = a.model
	}
	response := llm.Response{Text: a.text(), Finish: a.finish(), Usage: a.usage, Model: model}
	if response.Finish == llm.FinishTools {
		response.Calls = a.calls()
	}
	return response
}

// text returns the input of the answer tool, if it was called, otherwise the text.
func (a *answer) text() string {
	var said strings.Builder
	for _, b := range a.order {
		switch {
		case b.isAnswer():
			return b.text.String()
		case b.kind == textBlock:
			said.WriteString(b.text.String())
		}
	}
	return said.String()
}

func (a *answer) calls() []llm.ToolCall {
	var calls []llm.ToolCall
	for _, b := range a.order {
		if b.kind == toolBlock && !b.isAnswer() {
			calls = append(calls, llm.ToolCall{ID: b.id, Name: b.name, Arguments: json.RawMessage(b.text.String())})
		}
	}
	return calls
}

func isObject(value []byte) bool {
	return json.Valid(value) && bytes.HasPrefix(bytes.TrimSpace(value), []byte("{"))
}
