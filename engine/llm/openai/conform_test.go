package openai_test

import (
	"testing"

	"forge/engine/llm"
	"forge/engine/llm/conform"
	"forge/engine/llm/openai"
	"forge/engine/llm/wire"
)

func TestConform_Conformance(t *testing.T) {
	t.Parallel()
	conform.Run(t, conform.Adapter{
		Name:  "openai",
		Lacks: []conform.Ability{conform.Thinking, conform.CacheWrites, conform.CacheMarks},
		New: func(o wire.Options) llm.Model {
			o.BaseURL += "/v1"
			return openai.New(o)
		},
	})
}

func TestConform_BatchConformance(t *testing.T) {
	t.Parallel()
	conform.RunBatches(t, conform.Adapter{
		Name: "openai",
		New: func(o wire.Options) llm.Model {
			o.BaseURL += "/v1"
			return openai.New(o)
		},
	})
}
