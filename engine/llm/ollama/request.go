package ollama

import (
	"encoding/json"
	"strings"

	"forge/engine/llm"
	"forge/engine/llm/wire"
)

// chatRequest is the body of a call.
type chatRequest struct {
	Model    string          `json:"model"`
	Messages []message       `json:"messages"`
	Tools    []tool          `json:"tools,omitempty"`
	Format   json.RawMessage `json:"format,omitempty"`
	Stream   bool            `json:"stream"`
	// Think is always sent, because models that can think do so by default: false or true, or the level of a model with levels.
	Think   any     `json:"think"`
	Options options `json:"options"`
	// Truncate and Shift are always false: a prompt or an answer that does not fit must be an error, not a shorter
	// prompt. Servers before 0.12.6 do not know them.
	Truncate bool `json:"truncate"`
	Shift    bool `json:"shift"`
}

type options struct {
	NumCtx      int      `json:"num_ctx"`
	NumPredict  int      `json:"num_predict,omitempty"`
	Temperature *float64 `json:"temperature,omitempty"` // 0 is a temperature
}

// message is a turn, in both directions.
type message struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	Thinking   string     `json:"thinking,omitempty"` // only received; not part of the answer
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolName   string     `json:"tool_name,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

// chatRequest converts a request to the server's form, for a context of size tokens.
func (c *Client) chatRequest(r llm.Request, size int) chatRequest {
	request := chatRequest{
		Model: c.server.Model, Messages: messages(llm.Joined(r.Messages)), Tools: tools(r),
		Format: r.Schema, Stream: !r.Whole, Think: think(c.server.Model, r.Thinking),
		Options: options{NumCtx: size, Temperature: &r.Temperature},
	}
	if r.MaxTokens > 0 { // thoughts count as predicted
		request.Options.NumPredict = min(reserve(r), size)
	}
	return request
}

// think returns how much a model may think. The models called gpt-oss have levels, and give an empty answer to a schema if they
// are not to think.
func think(model string, tokens int) any {
	if strings.Contains(strings.ToLower(model), "gpt-oss") {
		return wire.Effort(tokens)
	}
	return tokens > 0
}

func messages(from []llm.Message) []message {
	named := map[string]string{} // the called tools, by the ids of the calls
	all := make([]message, 0, len(from))
	for _, m := range from {
		turn := message{Role: string(m.Role), Content: m.Text, ToolCalls: toolCalls(m.Calls)}
		for _, call := range m.Calls {
			named[call.ID] = call.Name
		}
		if m.Role == llm.Tool {
			turn.ToolName, turn.ToolCallID = named[m.CallID], m.CallID
		}
		if m.Failed {
			turn.Content = "The tool failed: " + m.Text // the format has no field for it
		}
		all = append(all, turn)
	}
	return all
}
