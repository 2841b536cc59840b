package conform_test

import (
	"testing"

	"forge/engine/llm"
	"forge/engine/llm/anthropic"
	"forge/engine/llm/ollama"
	"forge/engine/llm/openai"
	"forge/engine/llm/wire"
)

var anthropicAdapter = Adapter{
	Name: "anthropic", Lacks: []Ability{Filters},
	New: func(o wire.Options) llm.Model { return anthropic.New(o) },
}

// openAIAdapter returns the adapter for OpenAI, whose base URLs end in /v1.
func openAIAdapter(lacks ...Ability) Adapter {
	return Adapter{Name: "openai", Lacks: lacks, New: func(o wire.Options) llm.Model {
		o.BaseURL += "/v1"
		return openai.New(o)
	}}
}

func TestAnthropic_Conformance(t *testing.T) {
	t.Parallel()
	Run(t, anthropicAdapter)
}

func TestAnthropic_BatchConformance(t *testing.T) {
	t.Parallel()
	RunBatches(t, anthropicAdapter)
}

func TestOpenAI_Conformance(t *testing.T) {
	t.Parallel()
	Run(t, openAIAdapter(Thinking, CacheWrites, CacheMarks))
}

func TestOpenAI_BatchConformance(t *testing.T) {
	t.Parallel()
	RunBatches(t, openAIAdapter())
}

func TestOllama_Conformance(t *testing.T) {
	t.Parallel()
	Run(t, Adapter{
		Name: "ollama",
		Lacks: []Ability{
			ToolChoice, RawTools, Thinking, Refusals, Filters, Quotas, CacheReads, CacheWrites, CacheMarks,
		},
		New: func(o wire.Options) llm.Model { return ollama.New(ollama.Options{Options: o, Window: 40960}) },
	})
}
