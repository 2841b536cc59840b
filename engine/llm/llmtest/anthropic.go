package llmtest

import (
	"encoding/json"
	"net/http"
	"strconv"

	"forge/engine/llm"
)

// anthropic are Anthropic's messages (https://docs.anthropic.com/en/api/messages).
type anthropic struct{}

func (anthropic) streams() string { return "text/event-stream" }

// message is a whole answer, or without content the beginning of a streamed one.
func (f anthropic) message(a answer, content []fields, stop any) fields {
	return fields{
		"id": "msg_" + strconv.Itoa(a.number), "type": "message", "role": "assistant", "model": a.model, "content": content,
		"stop_reason": stop, "stop_sequence": nil, "usage": f.usage(a.usage),
	}
}

func (anthropic) usage(u llm.Usage) fields {
	return fields{
		"input_tokens": u.Input, "output_tokens": u.Output, "cache_creation_input_tokens": u.CacheWrite, "cache_read_input_tokens": u.CacheRead,
	}
}

// inTool puts the text of an answer into the tool that the request forces, as a model does that has no choice.
func (anthropic) inTool(a answer) answer {
	text := a.text()
	if _, ok := object(text); !ok || a.forced == "" || len(a.calls) > 0 {
		return a
	}
	a.calls = []call{{id: "call_" + strconv.Itoa(a.number), name: a.forced, arguments: text}}
	a.pieces = nil
	if a.finish == "stop" {
		a.finish = "tool_calls"
	}
	return a
}

// reason is the format's word for OpenAI's.
func (anthropic) reason(finish string) string {
	switch finish {
	case "stop":
		return "end_turn"
	case "length":
		return "max_tokens"
	case "tool_calls":
		return "tool_use"
	case "content_filter":
		return "refusal"
	default:
		return finish
	}
}

// stopReason of an answer: a refusal is words in the text, and the reason.
func (f anthropic) stopReason(a answer) string {
	if a.refusal != "" {
		return "refusal"
	}
	return f.reason(a.finish)
}

func (f anthropic) whole(a answer) []byte {
	a = f.inTool(a)
	content := []fields{}
	if a.thinking != "" {
		content = append(content, fields{"type": "thinking", "thinking": a.thinking, "signature": signature})
	}
	if text := a.text() + a.refusal; text != "" {
		content = append(content, fields{"type": "text", "text": text})
	}
	for _, c := range a.calls {
		content = append(content, fields{"type": "tool_use", "id": c.id, "name": c.name, "input": input(c.arguments)})
	}
	return encode(f.message(a, content, f.stopReason(a)))
}

// signature is that of thinking.
const signature = "c2lnbmVk"

// input is what arguments are in a whole answer, where they can only be JSON: a string if they are none.
func input(arguments string) json.RawMessage {
	if json.Valid([]byte(arguments)) {
		return json.RawMessage(arguments)
	}
	return encode(arguments)
}

func (anthropic) refuse(r refusal) (int, []byte) {
	if r.fault == FaultQuota {
		r.status = http.StatusBadRequest // it has no type or code of its own
	}
	if words := anthropicWords[r.fault]; words != "" && !r.worded {
		r.message = words
	}
	return r.status, encode(fields{
		"type": "error", "request_id": "req_scripted",
		"error": fields{"type": anthropicType(r), "message": r.message},
	})
}

// anthropicWords are its messages for failures that only the message distinguishes.
var anthropicWords = map[FaultKind]string{
	FaultOverflow: "prompt is too long: 205000 tokens > 200000 maximum",
	FaultQuota:    "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
	FaultNoModel:  "model: scripted",
}

// anthropicType is the type of error for a status (https://docs.anthropic.com/en/api/errors).
func anthropicType(r refusal) string {
	types := map[int]string{
		http.StatusBadRequest: "invalid_request_error", http.StatusUnauthorized: "authentication_error",
		http.StatusPaymentRequired: "billing_error", http.StatusForbidden: "permission_error", http.StatusNotFound: "not_found_error",
		http.StatusRequestEntityTooLarge: "request_too_large", http.StatusTooManyRequests: "rate_limit_error",
		http.StatusInternalServerError: "api_error", http.StatusGatewayTimeout: "timeout_error", 529: "overloaded_error",
	}
	if known := types[r.status]; known != "" {
		return known
	}
	if r.status >= 500 {
		return "api_error"
	}
	return "invalid_request_error"
}

// anthropicRequest is a request of a message.
type anthropicRequest struct {
	Model       string          `json:"model"`
	System      anthropicBlocks `json:"system"`
	MaxTokens   int             `json:"max_tokens"`
	Temperature float64         `json:"temperature"`
	Stream      bool            `json:"stream"`
	Messages    []struct {
		Role    llm.Role        `json:"role"`
		Content anthropicBlocks `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"input_schema"`
	} `json:"tools"`
	ToolChoice struct {
		Type string `json:"type"`
		Name string `json:"name"`
	} `json:"tool_choice"`
	Thinking struct {
		Budget int `json:"budget_tokens"`
	} `json:"thinking"`
}

// anthropicBlocks are the parts of a message; a bare text is one.
type anthropicBlocks []struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	Cache   *struct{}       `json:"cache_control"`
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	UseID   string          `json:"tool_use_id"`
	Content content         `json:"content"`
	IsError bool            `json:"is_error"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (b *anthropicBlocks) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*b = make(anthropicBlocks, 1)
		(*b)[0].Type, (*b)[0].Text = "text", text
		return nil
	}
	type plain anthropicBlocks
	return json.Unmarshal(data, (*plain)(b))
}

// messages makes a message of each block; calls of tools belong to the text before them.
func (b anthropicBlocks) messages(role llm.Role) []llm.Message {
	var all []llm.Message
	for _, part := range b {
		stable := part.Cache != nil
		switch part.Type {
		case "text":
			all = append(all, llm.Message{Role: role, Text: part.Text, Stable: stable})
		case "tool_result":
			all = append(all, llm.Message{Role: llm.Tool, Text: string(part.Content), CallID: part.UseID, Failed: part.IsError, Stable: stable})
		case "tool_use":
			if len(all) == 0 {
				all = append(all, llm.Message{Role: role})
			}
			last := &all[len(all)-1]
			last.Calls = append(last.Calls, llm.ToolCall{ID: part.ID, Name: part.Name, Arguments: part.Input})
			last.Stable = last.Stable || stable
		}
	}
	return all
}

func (anthropic) read(body []byte) (asked, error) {
	var r anthropicRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return asked{}, notA("request of a message", err)
	}
	request := llm.Request{Temperature: r.Temperature, MaxTokens: r.MaxTokens, Thinking: r.Thinking.Budget, Whole: !r.Stream}
	request.Messages = r.System.messages(llm.System)
	for _, m := range r.Messages {
		request.Messages = append(request.Messages, m.Content.messages(m.Role)...)
	}
	for _, tool := range r.Tools {
		request.Tools = append(request.Tools, llm.ToolDef{Name: tool.Name, Description: tool.Description, Schema: tool.Schema})
	}
	switch r.ToolChoice.Type {
	case "any":
		request.UseTool = llm.AnyTool
	case "tool":
		request.UseTool = r.ToolChoice.Name
		for _, tool := range request.Tools { // a schema travels as a tool that the model must use, without a name of its own
			if tool.Name == request.UseTool {
				request.Schema = tool.Schema
			}
		}
	}
	return asked{Request: request, stream: r.Stream, model: r.Model}, nil
}

// anthropicSpeech collects the events of one answer (https://docs.anthropic.com/en/docs/build-with-claude/streaming).
type anthropicSpeech struct {
	wire   Wire
	frames []frame
	blocks int
}

func (s *anthropicSpeech) say(typ string, event fields) *frame {
	event["type"] = typ
	s.frames = append(s.frames, s.wire.event(typ, encode(event)))
	return &s.frames[len(s.frames)-1]
}

// open begins a block and returns its index.
func (s *anthropicSpeech) open(block fields) int {
	index := s.blocks
	s.blocks++
	s.say("content_block_start", fields{"index": index, "content_block": block})
	return index
}

func (s *anthropicSpeech) add(index int, typ, field, text string) *frame {
	return s.say("content_block_delta", fields{"index": index, "delta": fields{"type": typ, field: text}})
}

func (s *anthropicSpeech) close(index int) { s.say("content_block_stop", fields{"index": index}) }

func (f anthropic) stream(a answer) []frame {
	a = f.inTool(a)
	s := &anthropicSpeech{wire: a.wire}
	begun := a
	begun.usage.Output = 1
	s.say("message_start", fields{"message": f.message(begun, []fields{}, nil)}).delay = a.delay
	s.say("ping", fields{})
	s.think(a.thinking)
	s.text(a)
	first := s.blocks
	a.deal(func(_ int, c call) { s.open(fields{"type": "tool_use", "id": c.id, "name": c.name, "input": fields{}}) },
		func(i int, piece string) { s.add(first+i, "input_json_delta", "partial_json", piece) },
		func(i int) { s.close(first + i) })
	stop := fields{"stop_reason": f.stopReason(a), "stop_sequence": nil}
	s.say("message_delta", fields{"delta": stop, "usage": f.usage(a.usage)}).finish = a.finish
	s.say("message_stop", fields{})
	return s.frames
}

func (s *anthropicSpeech) think(thought string) {
	if thought == "" {
		return
	}
	index := s.open(fields{"type": "thinking", "thinking": "", "signature": ""})
	for _, part := range cut(thought) {
		s.add(index, "thinking_delta", "thinking", part)
	}
	s.add(index, "signature_delta", "signature", signature)
	s.close(index)
}

func (s *anthropicSpeech) text(a answer) {
	pieces := a.pieces
	if a.refusal != "" {
		pieces = append(pieces[:len(pieces):len(pieces)], Piece{Delta: a.refusal})
	}
	if len(pieces) == 0 {
		return
	}
	index := s.open(fields{"type": "text", "text": ""})
	for _, piece := range pieces {
		s.add(index, "text_delta", "text", piece.Delta).delay = milliseconds(piece.DelayMs)
	}
	s.close(index)
}

func (anthropic) malformed(w Wire) frame {
	return w.event("content_block_delta", []byte(`{"type":"content_block_delta","index":0,"delta":{`))
}

func (anthropic) empty(w Wire) []frame {
	ping := w.event("ping", []byte(`{"type":"ping"}`))
	return []frame{ping, ping}
}

func (anthropic) broken(w Wire) frame {
	return w.event("error", []byte(`{"type":"error","error":{"type":"api_error","message":"scripted fault: a server error"}}`))
}
