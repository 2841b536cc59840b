package anthropic

import (
	"forge/engine/llm"
	"forge/engine/llm/wire"
	"forge/internal/lazyregexp"
)

// partChoice is an optional part that only this wire format has: without it the model chooses, and the choice is checked.
const partChoice = "tool_choice"

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
}

// family returns the features that the model supports, as far as known.
func (c *Client) family() family {
	f := familyOf(c.server.Model)
	c.mu.Lock()
	defer c.mu.Unlock()
	f.forces = f.forces && !c.unforced
	return f
}

// learn records that a request was rejected for a part, and reports whether another form is possible.
func (c *Client) learn(used family, part string) bool {
	if part != partChoice || !used.forces {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unforced = true
	return true
}
