package llmtest

import (
	"encoding/json"
	"strconv"

	"forge/engine/llm"
)

// openAI are OpenAI's chat completions (https://platform.openai.com/docs/api-reference/chat).
type openAI struct{}

func (openAI) usage(u llm.Usage) fields {
	input := u.Input + u.CacheRead + u.CacheWrite
	counted := fields{"prompt_tokens": input, "completion_tokens": u.Output, "total_tokens": input + u.Output}
	if u.CacheRead > 0 {
		counted["prompt_tokens_details"] = fields{"cached_tokens": u.CacheRead}
	}
	return counted
}

func (openAI) streams() string { return "text/event-stream" }

// chunk is an event of a stream, or a whole answer.
func (openAI) chunk(a answer, object string, choices ...fields) fields {
	return fields{"id": "chatcmpl-" + strconv.Itoa(a.number), "object": object, "created": a.created.Unix(), "model": a.model, "choices": choices}
}

func (f openAI) stream(a answer) (all []frame) {
	say := func(delta fields, finish any) *frame {
		choice := fields{"index": 0, "delta": delta, "finish_reason": finish}
		all = append(all, a.wire.event("", encode(f.chunk(a, "chat.completion.chunk", choice))))
		return &all[len(all)-1]
	}
	say(fields{"role": "assistant", "content": ""}, nil).delay = a.delay
	for _, part := range cut(a.thinking) {
		say(fields{"reasoning_content": part}, nil) // as DeepSeek, vLLM and LM Studio have it
	}
	if a.refusal != "" {
		say(fields{"refusal": a.refusal}, nil)
	}
	for _, piece := range a.pieces {
		say(fields{"content": piece.Delta}, nil).delay = milliseconds(piece.DelayMs)
	}
	sayCall := func(i int, c fields) {
		c["index"] = i
		say(fields{"tool_calls": []fields{c}}, nil)
	}
	a.deal(func(i int, c call) {
		sayCall(i, fields{"id": c.id, "type": "function", "function": fields{"name": c.name, "arguments": ""}})
	},
		func(i int, piece string) { sayCall(i, fields{"function": fields{"arguments": piece}}) }, func(int) {})
	say(fields{}, a.finish).finish = a.finish
	last := f.chunk(a, "chat.completion.chunk")
	last["choices"], last["usage"] = []fields{}, f.usage(a.usage)
	return append(all, a.wire.event("", encode(last)), a.wire.event("", []byte("[DONE]")))
}

func (f openAI) whole(a answer) []byte {
	message := fields{"role": "assistant", "content": a.text()}
	if a.thinking != "" {
		message["reasoning_content"] = a.thinking
	}
	if a.refusal != "" {
		message["refusal"] = a.refusal
	}
	var calls []fields
	for _, c := range a.calls {
		calls = append(calls, fields{"id": c.id, "type": "function", "function": fields{"name": c.name, "arguments": c.arguments}})
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	said := f.chunk(a, "chat.completion", fields{"index": 0, "message": message, "finish_reason": a.finish})
	said["usage"] = f.usage(a.usage)
	return encode(said)
}

func (openAI) refuse(r refusal) (int, []byte) {
	return r.status, encode(fields{"error": fields{"message": r.message, "type": r.typ, "code": r.code, "param": nil}})
}

func (openAI) malformed(w Wire) frame { return w.event("", []byte(`{"choices":[{`)) }

func (openAI) empty(w Wire) []frame {
	nothing := w.event("", []byte(`{"choices":[]}`))
	return []frame{nothing, nothing}
}

func (openAI) broken(w Wire) frame {
	return w.event("", []byte(`{"error":{"message":"scripted fault: a server error","type":"server_error","code":null}}`))
}

// openAIRequest is a chat completion request.
type openAIRequest struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    llm.Role `json:"role"`
		Content content  `json:"content"`
		Calls   []struct {
			ID       string `json:"id"`
			Function struct {
				Name      string `json:"name"`
				Arguments string `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
		CallID string `json:"tool_call_id"`
	} `json:"messages"`
	Stream              bool    `json:"stream"`
	Temperature         float64 `json:"temperature"`
	MaxTokens           int     `json:"max_tokens"`
	MaxCompletionTokens int     `json:"max_completion_tokens"`
	ResponseFormat      struct {
		JSONSchema struct {
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
	Tools      []functionTool  `json:"tools"`
	ToolChoice json.RawMessage `json:"tool_choice"`
}

func (openAI) read(body []byte) (asked, error) {
	var r openAIRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return asked{}, notA("chat completion", err)
	}
	request := llm.Request{
		Temperature: r.Temperature, MaxTokens: max(r.MaxTokens, r.MaxCompletionTokens), Whole: !r.Stream,
		Schema: r.ResponseFormat.JSONSchema.Schema, SchemaName: r.ResponseFormat.JSONSchema.Name, UseTool: r.useTool(), Tools: toolDefs(r.Tools),
	}
	for _, m := range r.Messages {
		message := llm.Message{Role: m.Role, Text: string(m.Content), CallID: m.CallID}
		for _, c := range m.Calls {
			message.Calls = append(message.Calls, llm.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: json.RawMessage(c.Function.Arguments)})
		}
		request.Messages = append(request.Messages, message)
	}
	return asked{Request: request, stream: r.Stream, model: r.Model}, nil
}

func (r openAIRequest) useTool() string {
	var named struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	switch {
	case string(r.ToolChoice) == `"required"`:
		return llm.AnyTool
	case json.Unmarshal(r.ToolChoice, &named) == nil:
		return named.Function.Name
	default:
		return ""
	}
}
