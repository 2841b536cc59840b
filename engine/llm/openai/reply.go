package openai

import (
	"encoding/json"
	"strings"

	"forge/engine/llm"
)

// reply is one event of a stream, or a whole answer. Of what models think aloud (reasoning_content, reasoning,
// reasoning_details) nothing is read: it is no part of the answer.
type reply struct {
	Object  string   `json:"object"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage"`
}

// choice is what was said: as a delta, or as a message, which is all of it so far.
type choice struct {
	Index        int    `json:"index"`
	Delta        *said  `json:"delta"`
	Message      *said  `json:"message"`
	FinishReason string `json:"finish_reason"`
}

type said struct {
	Content   content    `json:"content"`
	Refusal   string     `json:"refusal"`
	ToolCalls []toolCall `json:"tool_calls"`
}

// content is a text, or a list of parts of which those that are text count: others are thoughts.
type content string

// UnmarshalJSON implements json.Unmarshaler.
func (c *content) UnmarshalJSON(data []byte) error {
	if len(data) == 0 || data[0] != '[' {
		return json.Unmarshal(data, (*string)(c))
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	var text strings.Builder
	for _, part := range parts {
		if part.Type == "text" {
			text.WriteString(part.Text)
		}
	}
	*c = content(text.String())
	return nil
}

// usage is what servers say of it: OpenAI's own words, those of DeepSeek, and those with which gateways pass on
// what Anthropic counts. All of them count what was read from a cache as a part of the prompt.
type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Details    *struct {
		Cached     int `json:"cached_tokens"`
		CacheWrite int `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	CacheHit  int `json:"prompt_cache_hit_tokens"`
	CacheRead int `json:"cache_read_input_tokens"`
	CacheMade int `json:"cache_creation_input_tokens"`
}

// count says what was read from the provider's cache, and written to it, from the rest.
func (u usage) count() llm.Usage {
	read, written := max(u.CacheHit, u.CacheRead), u.CacheMade
	if u.Details != nil {
		read, written = max(read, u.Details.Cached), max(written, u.Details.CacheWrite)
	}
	prompt := max(0, u.Prompt)
	read = min(max(0, read), prompt)
	written = min(max(0, written), prompt-read)
	return llm.Usage{Input: prompt - read - written, Output: max(0, u.Completion), CacheRead: read, CacheWrite: written}
}
