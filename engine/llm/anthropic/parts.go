package anthropic

import (
	"forge/engine/llm"
	"forge/engine/llm/wire"
	"forge/internal/lazyregexp"
)

// partChoice is what only this wire format knows, and can do without: the model chooses then, and whether it chose
// right is checked.
const partChoice = "tool_choice"

// parts are what models are known to refuse. What stands first is looked for first: a message about thinking may name
// tools too, but not the other way round.
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

// family is what the model takes, as far as it is known by now.
func (c *Client) family() family {
	f := familyOf(c.server.Model)
	c.mu.Lock()
	defer c.mu.Unlock()
	f.forces = f.forces && !c.unforced
	return f
}

// learn notes that a request was refused for a part, and reports whether there is another way to make it.
func (c *Client) learn(used family, part string) bool {
	if part != partChoice || !used.forces {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unforced = true
	return true
}
