package llmtest

import (
	"encoding/json"
	"strconv"

	"forge/engine/llm"
)

// openAI are OpenAI's chat completions (https://platform.openai.com/docs/api-reference/chat).
type openAI struct{}

// chunk is an event of a stream, or with Message instead of Delta a whole answer.
type chunk struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage,omitempty"`
}

type choice struct {
	Index   int     `json:"index"`
	Delta   *delta  `json:"delta,omitempty"`
	Message *delta  `json:"message,omitempty"`
	Finish  *string `json:"finish_reason"`
}

type delta struct {
	Role      string     `json:"role,omitempty"`
	Reasoning string     `json:"reasoning_content,omitempty"` // as DeepSeek, vLLM and LM Studio have it
	Content   *string    `json:"content,omitempty"`
	Refusal   string     `json:"refusal,omitempty"`
	Calls     []toolCall `json:"tool_calls,omitempty"`
}

type toolCall struct {
	Index    *int             `json:"index,omitempty"` // in streams
	ID       string           `json:"id,omitempty"`
	Type     string           `json:"type,omitempty"`
	Function toolCallFunction `json:"function"`
}

type toolCallFunction struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

type usage struct {
	Prompt     int           `json:"prompt_tokens"`
	Completion int           `json:"completion_tokens"`
	Total      int           `json:"total_tokens"`
	Details    *usageDetails `json:"prompt_tokens_details,omitempty"`
}

type usageDetails struct {
	Cached int `json:"cached_tokens"`
}

func (openAI) usage(u llm.Usage) *usage {
	input := u.Input + u.CacheRead + u.CacheWrite
	counted := &usage{Prompt: input, Completion: u.Output, Total: input + u.Output}
	if u.CacheRead > 0 {
		counted.Details = &usageDetails{u.CacheRead}
	}
	return counted
}

func (openAI) streams() string { return "text/event-stream" }

// openAISpeech words one answer as events.
type openAISpeech struct {
	chunk chunk // id, object, created and model of each
	wire  Wire
}

func (openAI) chunk(a answer, object string) chunk {
	return chunk{ID: "chatcmpl-" + strconv.Itoa(a.number), Object: object, Created: a.created.Unix(), Model: a.model}
}

func (f openAI) stream(a answer) []frame {
	v := openAISpeech{wire: a.wire, chunk: f.chunk(a, "chat.completion.chunk")}
	empty := ""
	all := []frame{v.say(delta{Role: "assistant", Content: &empty}, nil)}
	all[0].delay = a.delay
	for _, part := range cut(a.thinking) {
		all = append(all, v.say(delta{Reasoning: part}, nil))
	}
	if a.refusal != "" {
		all = append(all, v.say(delta{Refusal: a.refusal}, nil))
	}
	for _, piece := range a.pieces {
		next := v.say(delta{Content: &piece.Delta}, nil)
		next.delay = milliseconds(piece.DelayMs)
		all = append(all, next)
	}
	all = append(all, v.calls(a)...)
	last := v.chunk
	last.Choices, last.Usage = []choice{}, f.usage(a.usage)
	return append(all, v.say(delta{}, &a.finish), v.wire.event("", encode(last)), v.wire.event("", []byte("[DONE]")))
}

// calls are the events of the tool calls: the name of each, then its arguments in pieces.
func (v openAISpeech) calls(a answer) []frame {
	var all []frame
	say := func(i int, c toolCall) {
		c.Index = &i
		all = append(all, v.say(delta{Calls: []toolCall{c}}, nil))
	}
	var arguments []string
	for i, c := range a.calls {
		arguments = append(arguments, c.arguments)
		if a.wire.Interleave {
			say(i, toolCall{ID: c.id, Type: "function", Function: toolCallFunction{Name: c.name}})
		}
	}
	if a.wire.Interleave {
		turns(arguments, true, func(i int, piece string) { say(i, toolCall{Function: toolCallFunction{Arguments: piece}}) })
		return all
	}
	for i, c := range a.calls {
		say(i, toolCall{ID: c.id, Type: "function", Function: toolCallFunction{Name: c.name}})
		for _, piece := range cut(c.arguments) {
			say(i, toolCall{Function: toolCallFunction{Arguments: piece}})
		}
	}
	return all
}

func (v openAISpeech) say(d delta, finish *string) frame {
	spoken := v.chunk
	spoken.Choices = []choice{{Delta: &d, Finish: finish}}
	f := v.wire.event("", encode(spoken))
	f.refusal = d.Refusal
	if d.Content != nil {
		f.delta = *d.Content
	}
	if finish != nil {
		f.finish = *finish
	}
	return f
}

func (f openAI) whole(a answer) []byte {
	text := a.text()
	message := &delta{Role: "assistant", Reasoning: a.thinking, Content: &text, Refusal: a.refusal}
	for _, c := range a.calls {
		message.Calls = append(message.Calls, toolCall{ID: c.id, Type: "function", Function: toolCallFunction{c.name, c.arguments}})
	}
	said := f.chunk(a, "chat.completion")
	said.Choices, said.Usage = []choice{{Message: message, Finish: &a.finish}}, f.usage(a.usage)
	return encode(said)
}

func (openAI) refuse(r refusal) (int, []byte) {
	return r.status, encode(map[string]any{"error": map[string]any{"message": r.message, "type": r.typ, "code": r.code, "param": nil}})
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
		Role    llm.Role   `json:"role"`
		Content content    `json:"content"`
		Calls   []toolCall `json:"tool_calls"`
		CallID  string     `json:"tool_call_id"`
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
	Tools []struct {
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
	ToolChoice json.RawMessage `json:"tool_choice"`
}

func (openAI) read(body []byte) (asked, error) {
	var r openAIRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return asked{}, notA("chat completion", err)
	}
	request := llm.Request{
		Temperature: r.Temperature, MaxTokens: max(r.MaxTokens, r.MaxCompletionTokens), Whole: !r.Stream,
		Schema: r.ResponseFormat.JSONSchema.Schema, SchemaName: r.ResponseFormat.JSONSchema.Name, UseTool: r.useTool(),
	}
	for _, m := range r.Messages {
		message := llm.Message{Role: m.Role, Text: string(m.Content), CallID: m.CallID}
		for _, c := range m.Calls {
			message.Calls = append(message.Calls, llm.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: json.RawMessage(c.Function.Arguments)})
		}
		request.Messages = append(request.Messages, message)
	}
	for _, tool := range r.Tools {
		request.Tools = append(request.Tools, llm.ToolDef{
			Name: tool.Function.Name, Description: tool.Function.Description, Schema: tool.Function.Parameters,
		})
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
