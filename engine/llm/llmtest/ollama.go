package llmtest

import (
	"encoding/json"
	"fmt"
	"time"

	"forge/engine/llm"
)

// ollama is Ollama's own chat API (https://github.com/ollama/ollama/blob/main/docs/api.md).
type ollama struct{}

// ollamaChunk is one line of a stream; a whole answer is one of them.
type ollamaChunk struct {
	Model   string        `json:"model"`
	Created string        `json:"created_at"`
	Message ollamaMessage `json:"message"`
	Reason  string        `json:"done_reason,omitempty"`
	Done    bool          `json:"done"`

	Total      int64 `json:"total_duration,omitempty"` // ns, as are the others
	Load       int64 `json:"load_duration,omitempty"`
	PromptEval int   `json:"prompt_eval_count,omitempty"`
	Eval       int   `json:"eval_count,omitempty"`
}

type ollamaMessage struct {
	Role     string           `json:"role"`
	Content  content          `json:"content"`
	Thinking string           `json:"thinking,omitempty"`
	Calls    []ollamaToolCall `json:"tool_calls,omitempty"`
	ToolName string           `json:"tool_name,omitempty"`
	CallID   string           `json:"tool_call_id,omitempty"`
}

type ollamaToolCall struct {
	ID       string             `json:"id,omitempty"`
	Function ollamaToolFunction `json:"function"`
}

type ollamaToolFunction struct {
	Index     int             `json:"index,omitempty"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

func (ollama) streams() string { return "application/x-ndjson" }

func (ollama) chunk(a answer) ollamaChunk {
	return ollamaChunk{Model: a.model, Created: a.created.UTC().Format(time.RFC3339Nano), Message: ollamaMessage{Role: "assistant"}}
}

// finish puts the end into a chunk.
func (ollama) finish(c ollamaChunk, a answer) ollamaChunk {
	c.Done, c.Reason = true, a.finish
	if a.finish == "tool_calls" {
		c.Reason = "stop" // it has no word of its own for it
	}
	c.Total, c.Load = int64(time.Second), int64(time.Millisecond)
	c.PromptEval, c.Eval = a.usage.Input+a.usage.CacheRead+a.usage.CacheWrite, a.usage.Output
	return c
}

func (f ollama) stream(a answer) []frame {
	var all []frame
	say := func(m ollamaMessage) *frame {
		said := f.chunk(a)
		m.Role = "assistant"
		said.Message = m
		all = append(all, a.wire.line(encode(said)))
		return &all[len(all)-1]
	}
	for _, part := range cut(a.thinking) {
		say(ollamaMessage{Thinking: part})
	}
	for _, piece := range a.pieces {
		say(ollamaMessage{Content: content(piece.Delta)}).delay = milliseconds(piece.DelayMs)
	}
	for _, part := range cut(a.refusal) { // it has no other place for one
		say(ollamaMessage{Content: content(part)})
	}
	for _, c := range f.calls(a) { // they come one by one, each of them whole
		say(ollamaMessage{Calls: []ollamaToolCall{c}})
	}
	all = append(all, a.wire.line(encode(f.finish(f.chunk(a), a))))
	all[len(all)-1].finish = a.finish
	all[0].delay += a.delay
	return all
}

func (f ollama) whole(a answer) []byte {
	said := f.finish(f.chunk(a), a)
	said.Message.Content = content(a.text() + a.refusal)
	said.Message.Thinking, said.Message.Calls = a.thinking, f.calls(a)
	return encode(said)
}

// calls of tools: arguments are JSON here, so those that are none become a string.
func (ollama) calls(a answer) []ollamaToolCall {
	var calls []ollamaToolCall
	for i, c := range a.calls {
		calls = append(calls, ollamaToolCall{ID: c.id, Function: ollamaToolFunction{Index: i, Name: c.name, Arguments: input(c.arguments)}})
	}
	return calls
}

// ollamaWords are its messages for failures that only the message distinguishes.
var ollamaWords = map[FaultKind]string{
	FaultOverflow: "the input length exceeds the context length",
	FaultNoModel:  "model 'scripted' not found",
}

func (ollama) refuse(r refusal) (int, []byte) {
	if words := ollamaWords[r.fault]; words != "" && !r.worded {
		r.message = words
	}
	return r.status, encode(map[string]string{"error": r.message})
}

func (ollama) malformed(w Wire) frame {
	return w.line([]byte(`{"model":"scripted","message":{"role":`))
}

func (f ollama) empty(w Wire) []frame {
	nothing := w.line(encode(f.chunk(answer{model: DefaultModel})))
	return []frame{nothing, nothing}
}

func (ollama) broken(w Wire) frame {
	return w.line([]byte(`{"error":"scripted fault: a server error"}`))
}

// ollamaRequest is a request of a chat.
type ollamaRequest struct {
	Model    string          `json:"model"`
	Messages []ollamaMessage `json:"messages"`
	Stream   *bool           `json:"stream"`
	Format   json.RawMessage `json:"format"`
	Tools    []functionTool  `json:"tools"`
	Options  struct {
		Temperature float64 `json:"temperature"`
		MaxTokens   int     `json:"num_predict"`
	} `json:"options"`
}

func (ollama) read(body []byte) (asked, error) {
	var r ollamaRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return asked{}, notA("chat", err)
	}
	stream := r.Stream == nil || *r.Stream
	request := llm.Request{Temperature: r.Options.Temperature, MaxTokens: r.Options.MaxTokens, Whole: !stream, Tools: toolDefs(r.Tools)}
	if _, ok := object(string(r.Format)); ok { // else it is empty, or the word json
		request.Schema = r.Format
	}
	request.Messages = r.messages()
	return asked{Request: request, stream: stream, model: r.Model}, nil
}

// messages pairs the results of tools with their calls in order where they carry no ids.
func (r ollamaRequest) messages() []llm.Message {
	var all []llm.Message
	var open []string // ids of calls without a result
	for i, m := range r.Messages {
		message := llm.Message{Role: llm.Role(m.Role), Text: string(m.Content), CallID: m.CallID}
		for k, c := range m.Calls {
			if c.ID == "" {
				c.ID = fmt.Sprintf("call_%d_%d", i, k)
				open = append(open, c.ID)
			}
			message.Calls = append(message.Calls, llm.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
		}
		if message.Role == llm.Tool && message.CallID == "" && len(open) > 0 {
			message.CallID, open = open[0], open[1:]
		}
		all = append(all, message)
	}
	return all
}
