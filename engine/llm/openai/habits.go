package openai

import (
	"forge/engine/llm"
	"forge/engine/llm/wire"
	"forge/internal/lazyregexp"
)

// The parts of a request that only this wire format knows, and that it can do without.
const (
	partUsage  = "stream_options" // without it there may be no usage
	partLimit  = "max_tokens"     // it has two names, and servers that know one of them only
	partChoice = "tool_choice"    // without it the model chooses; whether it chose right is checked
)

// parts are what servers are known to refuse. What stands first is looked for first: a message about the effort of
// reasoning may name tools too, but not the other way round.
var parts = []wire.Part{
	{Name: "reasoning_effort", Words: lazyregexp.New(`(?i)\breasoning[_ .]effort\b`), Feature: llm.FeatureThinking},
	{Name: partUsage, Words: lazyregexp.New(`\bstream_options\b|\binclude_usage\b`)},
	{Name: partLimit, Words: lazyregexp.New(`\bmax_(completion_)?tokens\b`), Unknown: true},
	{Name: "temperature", Words: lazyregexp.New(`(?i)\btemperature\b`), Feature: llm.FeatureTemperature},
	{Name: partChoice, Words: lazyregexp.New(`\btool_choice\b`)},
	{Name: "response_format", Words: lazyregexp.New(`(?i)\bresponse[_ ]format\b|\bjson[_ ]schema\b|\bstructured outputs?\b`), Feature: llm.FeatureSchema},
	{Name: "tools", Words: lazyregexp.New(`(?i)\btools?\b|\bfunctions?\b`), Feature: llm.FeatureTools, Unknown: true},
}

// habits are what a server has been found to want. The zero value is what OpenAI wants.
type habits struct {
	noUsage    bool // it does not take partUsage
	otherLimit bool // it takes partLimit by the other name
	noChoice   bool // it does not take partChoice
}

func (c *Client) habits() habits {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.learnt
}

// learn notes that a request made with the given habits was refused for a part, and reports whether there is another
// way to make it. Requests that are under way side by side learn the same, each from its own refusal.
func (c *Client) learn(used habits, part string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case part == partUsage && !used.noUsage:
		c.learnt.noUsage = true
	case part == partLimit && !used.otherLimit:
		c.learnt.otherLimit = true
	case part == partChoice && !used.noChoice:
		c.learnt.noChoice = true
	default:
		return false
	}
	return true
}
