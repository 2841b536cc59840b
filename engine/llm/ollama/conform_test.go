package ollama_test

import (
	"testing"

	"forge/engine/llm"
	"forge/engine/llm/conform"
	"forge/engine/llm/ollama"
	"forge/engine/llm/wire"
)

func TestConform_Conformance(t *testing.T) {
	t.Parallel()
	conform.Run(t, conform.Adapter{
		Name: "ollama",
		Lacks: []conform.Ability{
			conform.ToolChoice, conform.RawTools, conform.Thinking, conform.Refusals, conform.Filters,
			conform.Quotas, conform.CacheReads, conform.CacheWrites, conform.CacheMarks,
		},
		New: func(o wire.Options) llm.Model { return ollama.New(ollama.Options{Options: o, Window: window}) },
	})
}
