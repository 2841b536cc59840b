package anthropic

import (
	"errors"
	"net/http"
	"regexp"

	"forge/engine/llm"
)

// refusals are the words in which a model does not take a part of a request, the most telling first.
var refusals = []struct {
	feature llm.Feature
	asked   func(llm.Request) bool
	words   *regexp.Regexp
}{
	{
		llm.FeatureThinking, func(r llm.Request) bool { return r.Thinking > 0 },
		regexp.MustCompile(`(?i)thinking|budget_tokens|effort`),
	},
	{
		llm.FeatureTemperature, func(llm.Request) bool { return true },
		regexp.MustCompile("(?i)temperature.*(deprecated|not (supported|permitted)|unsupported|only be set|cannot)"),
	},
	{
		llm.FeatureTools, func(r llm.Request) bool { return len(r.Tools) > 0 },
		regexp.MustCompile(`(?i)(tool_choice|tools\b|tool use).*(not (supported|permitted)|unsupported|does not support)|not support.*tool`),
	},
	{
		llm.FeatureSchema, func(r llm.Request) bool { return r.Schema != nil },
		regexp.MustCompile(`(?i)output_config|output format|structured output|compiled grammar|schema|tool`),
	},
}

// without says which part of the request a model does not take, where that is why it refused.
func without(r llm.Request, err error) error {
	var failure *llm.Error
	if errors.As(err, &failure) && failure.Kind == llm.KindInvalid && failure.Status == http.StatusBadRequest {
		blame(r, failure)
	}
	return err
}

func blame(r llm.Request, failure *llm.Error) {
	for _, refusal := range refusals {
		if refusal.asked(r) && refusal.words.MatchString(failure.Err.Error()) {
			failure.Kind, failure.Feature = llm.KindUnsupported, refusal.feature
			return
		}
	}
}

// everything stands for a request that is not at hand: it may have asked for each feature.
var everything = llm.Request{Thinking: 1, Schema: []byte("{}"), Tools: make([]llm.ToolDef, 1)}
