package openai

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"

	api "github.com/sashabaranov/go-openai"

	"forge/engine/llm"
)

// chatRequest puts a request into the library's form. The temperature is not in it: see restate.
func chatRequest(model string, r llm.Request) api.ChatCompletionRequest {
	request := api.ChatCompletionRequest{
		Model:         model,
		Stream:        true,
		StreamOptions: &api.StreamOptions{IncludeUsage: true},
	}
	for _, m := range r.Messages {
		request.Messages = append(request.Messages, api.ChatCompletionMessage{Role: string(m.Role), Content: m.Text})
	}
	if reasons(model) {
		request.MaxCompletionTokens = r.MaxTokens
	} else {
		request.MaxTokens = r.MaxTokens // the name that local servers know
	}
	if r.Schema != nil {
		request.ResponseFormat = schemaFormat(r)
	}
	return request
}

func schemaFormat(r llm.Request) *api.ChatCompletionResponseFormat {
	name := r.SchemaName
	if name == "" {
		name = "answer"
	}
	return &api.ChatCompletionResponseFormat{
		Type:       api.ChatCompletionResponseFormatTypeJSONSchema,
		JSONSchema: &api.ChatCompletionResponseFormatJSONSchema{Name: name, Schema: r.Schema, Strict: true},
	}
}

// reasons tells OpenAI's reasoning models by their names. They take neither a temperature nor max_tokens
// (https://platform.openai.com/docs/guides/reasoning).
func reasons(model string) bool {
	for _, prefix := range []string{"o1", "o3", "o4", "gpt-5", "gpt-6"} {
		if rest, found := strings.CutPrefix(model, prefix); found && (rest == "" || rest[0] == '-' || rest[0] == '.') {
			return true
		}
	}
	return false
}

// stating puts the temperature in front of the body that the library wrote, because the library leaves
// a temperature of 0 out, and every other one at most 32 bits wide.
func stating(temperature float64) func(*http.Request) error {
	return func(request *http.Request) error { return restate(request, temperature) }
}

func restate(request *http.Request, temperature float64) error {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return err
	}
	stated := append([]byte(`{"temperature":`), strconv.FormatFloat(temperature, 'g', -1, 64)...)
	stated = append(append(stated, ','), bytes.TrimPrefix(body, []byte("{"))...)
	request.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(stated)), nil }
	request.ContentLength = int64(len(stated))
	request.Body, err = request.GetBody()
	return err
}
