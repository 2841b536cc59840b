package anthropic_test

import (
	"testing"

	"forge/engine/llm"
	"forge/engine/llm/anthropic"
	"forge/engine/llm/conform"
	"forge/engine/llm/wire"
)

// The suite that every adapter must pass, against the scripted model: a model with every feature, and one that keeps
// to a schema by itself.
func TestConform_Conformance(t *testing.T) {
	t.Parallel()
	conform.Run(t, conform.Adapter{
		Name: "anthropic", Lacks: []conform.Ability{conform.Filters},
		New: func(o wire.Options) llm.Model { return anthropic.New(o) },
	})
}

func TestConform_BatchConformance(t *testing.T) {
	t.Parallel()
	conform.RunBatches(t, conform.Adapter{
		Name: "anthropic", Lacks: []conform.Ability{conform.Filters},
		New: func(o wire.Options) llm.Model { return anthropic.New(o) },
	})
}
