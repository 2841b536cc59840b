package anthropic

import (
	"forge/engine/llm"
	"forge/engine/llm/wire"
	"forge/internal/lazyregexp"
)

// The parts that only this wire format has.
const (
	partChoice = "tool_choice" // optional: without it the model chooses, and the choice is checked
	partLimit  = "max_tokens"  // each model has a largest value
)

// parts are fields that some models reject. Their order matters: a message about thinking may name tools too, but not
// the other way round.
var parts = []wire.Part{
	{Name: partChoice, Words: lazyregexp.New(`(?i)\btool_choice\b|\bforced tool`)},
	{Name: "thinking", Words: lazyregexp.New(`(?i)\bthinking\b|\bbudget_tokens\b|\beffort\b`), Feature: llm.FeatureThinking, Unknown: true},
	{Name: "temperature", Words: lazyregexp.New(`(?i)\btemperature\b`), Feature: llm.FeatureTemperature, Unknown: true},
	{
		Name: "output_config", Feature: llm.FeatureSchema,
		Words: lazyregexp.New(`(?i)\boutput_config\b|\boutput[_ ]format\b|\bstructured outputs?\b|\bcompiled grammar\b|\bschemas?\b`),
	},
	{Name: "tools", Words: lazyregexp.New(`(?i)\btools?\b`), Feature: llm.FeatureTools, Unknown: true},
	{Name: partLimit, Words: lazyregexp.New(`\bmax_tokens\b`), Unknown: true},
}

// family returns the features that the model supports, as far as known.
func (c *Client) family() family {
	f := familyOf(c.server.Model)
	c.mu.Lock()
	defer c.mu.Unlock()
	f.forces, f.most = f.forces && !c.unforced, c.most
	return f
}

// learn records that a request with the given features was rejected for a part, and reports whether another form is possible.
func (c *Client) learn(used family, r llm.Request, refused *wire.RefusedError) bool {
	sent, _ := used.params(c.server.Model, r) // it was sent
	most := int64(refused.Below(int(sent.MaxTokens)))
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case refused.Part == partChoice && used.forces:
		c.unforced = true
	case refused.Part == partLimit && used.most == 0 && most > 0:
		c.most = most
	default:
		return false
	}
	return true
}
