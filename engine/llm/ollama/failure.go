package ollama

import (
	"errors"
	"fmt"
	"net/http"

	"forge/engine/llm"
	"forge/internal/lazyregexp"
)

// meanings are Ollama's messages that explain more than the status, with advice.
var meanings = []struct {
	words   *lazyregexp.Regexp
	kind    llm.Kind
	feature llm.Feature
	advice  string // precedes the server's message; may be empty
}{
	{lazyregexp.New(`does not support tools`), llm.KindUnsupported, llm.FeatureTools, ""},
	{lazyregexp.New(`does not support thinking|invalid think value`), llm.KindUnsupported, llm.FeatureThinking, ""},
	{lazyregexp.New(`(?i)invalid (JSON schema in )?format|failed to (parse|initialize) grammar|failed to load model vocabulary required for format`),
		llm.KindUnsupported, llm.FeatureSchema, ""},
	{lazyregexp.New(`does not support (chat|generate|completion)`), llm.KindInvalid, "", "it is no model for conversations: choose another one"},
	{lazyregexp.New(`(?i)more system memory|out of memory|cudaMalloc failed`), llm.KindInvalid, "",
		"the model does not fit into this computer's memory: choose a smaller one, or close other programs"},
}

var missing = lazyregexp.New(`(?i)model .*not found`)

// explain adds the cause and advice to a failure that HTTP alone does not explain.
func (c *Client) explain(err error, r llm.Request) error {
	var failure *llm.Error
	if !errors.As(err, &failure) {
		return err
	}
	said := failure.Err.Error()
	if failure.Status == http.StatusNotFound && missing.MatchString(said) {
		failure.Err = fmt.Errorf("%s has no model called %q: get it with `ollama pull %s`, or choose one that `ollama list` shows",
			c.server.Host(), c.server.Model, c.server.Model)
		return failure
	}
	if failure.Kind != llm.KindInvalid && failure.Kind != llm.KindTransient {
		return failure
	}
	for _, m := range meanings {
		if !m.words.MatchString(said) || !asks(r, m.feature) {
			continue
		}
		failure.Kind, failure.Feature = m.kind, m.feature
		if m.advice != "" {
			failure.Err = fmt.Errorf("%s (%s)", m.advice, said)
		}
		break
	}
	return failure
}

// asks reports whether a request has a feature that could be omitted.
func asks(r llm.Request, feature llm.Feature) bool {
	switch feature {
	case llm.FeatureTools:
		return len(r.Tools) > 0
	case llm.FeatureThinking:
		return r.Thinking > 0
	case llm.FeatureSchema:
		return r.Schema != nil
	default:
		return true
	}
}

// passing reports whether a retry may succeed, for example because a model is installed later.
func passing(err error) bool {
	var failure *llm.Error
	if !errors.As(err, &failure) {
		return err != nil
	}
	switch failure.Kind {
	case llm.KindTransient, llm.KindTruncated, llm.KindRateLimited:
		return true
	default:
		return missing.MatchString(failure.Err.Error())
	}
}
