package openai

import (
	"encoding/json"
	"strings"

	"forge/engine/llm"
)

// reply is one event of a stream, or a whole answer. Models' thoughts (reasoning_content, reasoning,
// reasoning_details) are ignored: they are not part of the answer.
type reply struct {
	Object  string   `json:"object"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage"`
}

// choice is the text: as a delta, or as a message with all of it so far.
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

// content is a text, or a list of parts, of which only texts count: others are thoughts.
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

// usage has the fields of OpenAI, of DeepSeek, and of gateways that pass on Anthropic's counts. All of them
// count tokens from a cache as part of the prompt.
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

// count separates the tokens that were read from the provider's cache, or written to it.
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
