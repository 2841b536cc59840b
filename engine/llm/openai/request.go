package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	api "github.com/sashabaranov/go-openai"

	"forge/engine/llm"
	"forge/engine/llm/wire"
)

// request is the library's request, except for fields that the library would omit or round: a temperature of
// 0, its digits beyond 32 bits, and the empty text of a message.
type request struct {
	api.ChatCompletionRequest
	Messages    []message `json:"messages"`
	Temperature *float64  `json:"temperature,omitempty"`
}

// chatRequest converts a request to the wire format.
func chatRequest(model string, r llm.Request, habits habits) request {
	built := request{Messages: messages(llm.Joined(r.Messages))}
	built.Model, built.Stream = model, !r.Whole
	if built.Stream && !habits.noUsage {
		built.StreamOptions = &api.StreamOptions{IncludeUsage: true}
	}
	if reasons(model) && !habits.noEffort {
		built.ReasoningEffort = wire.Effort(r.Thinking)
	}
	if !reasons(model) && !r.OwnTemperature {
		built.Temperature = &r.Temperature
	}
	built.limit(model, r, habits)
	if r.Schema != nil {
		built.ResponseFormat = schemaFormat(r)
	}
	built.offer(r, habits)
	return built
}

// limit sets the limit of the answer with its thoughts, under the field name that the model knows: reasoning models have
// their own.
func (q *request) limit(model string, r llm.Request, habits habits) {
	most := r.MaxTokens
	if thinks(model) && most > 0 {
		most += r.Thinking
	}
	if habits.most > 0 {
		most = min(most, habits.most)
	}
	if reasons(model) != habits.otherLimit {
		q.MaxCompletionTokens = most
	} else {
		q.MaxTokens = most // the field that local servers know
	}
}

// most returns the limit of the answer; 0 is none.
func (q *request) most() int { return max(q.MaxTokens, q.MaxCompletionTokens) }

// offer adds the tools, and the forced choice.
func (q *request) offer(r llm.Request, habits habits) {
	for _, tool := range r.Tools {
		q.Tools = append(q.Tools, api.Tool{Type: api.ToolTypeFunction, Function: &api.FunctionDefinition{
			Name: tool.Name, Description: tool.Description, Parameters: tool.Schema,
		}})
	}
	switch {
	case r.UseTool == "" || habits.noChoice:
	case r.UseTool == llm.AnyTool:
		q.ToolChoice = "required"
	default:
		q.ToolChoice = api.ToolChoice{Type: api.ToolTypeFunction, Function: api.ToolFunction{Name: r.UseTool}}
	}
}

func schemaFormat(r llm.Request) *api.ChatCompletionResponseFormat {
	name := r.SchemaName
	name = cmp.Or(name, "answer")
	return &api.ChatCompletionResponseFormat{
		Type:       api.ChatCompletionResponseFormatTypeJSONSchema,
		JSONSchema: &api.ChatCompletionResponseFormatJSONSchema{Name: name, Schema: r.Schema, Strict: true},
	}
}

// reasons reports whether a name is that of an OpenAI reasoning model. They accept neither a temperature
// nor max_tokens (https://platform.openai.com/docs/guides/reasoning).
func reasons(model string) bool {
	for _, prefix := range []string{"o1", "o3", "o4", "gpt-5", "gpt-6"} {
		if rest, found := strings.CutPrefix(model, prefix); found && (rest == "" || rest[0] == '-' || rest[0] == '.') {
			return true
		}
	}
	return false
}

// thinks reports whether a name is that of a model that thinks before an answer: chat completions cannot keep one from it.
func thinks(model string) bool { return reasons(model) || wire.ThinksUnasked(model) }

// post returns the HTTP request.
func (c *Client) post(ctx context.Context, q request) (*http.Request, error) {
	body, err := json.Marshal(q)
	if err != nil {
		return nil, wire.Malformed("the request cannot be written as JSON: %v", err)
	}
	posted, err := http.NewRequestWithContext(ctx, http.MethodPost, c.server.BaseURL+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	posted.Header.Set("Content-Type", "application/json")
	posted.Header.Set("Accept", "application/json")
	if q.Stream {
		posted.Header.Set("Accept", "text/event-stream")
	}
	c.authorize(posted)
	return posted, nil
}
