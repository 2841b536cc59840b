package openai

import (
	"forge/engine/llm"
	"forge/engine/llm/wire"
	"forge/internal/lazyregexp"
)

// The optional parts of a request that only this wire format has.
const (
	partEffort = "reasoning_effort" // without it the model chooses how much to think
	partUsage  = "stream_options"   // without it, usage may be missing
	partLimit  = "max_tokens"       // it has two names, of which some servers only know one, and a largest value
	partChoice = "tool_choice"      // without it the model chooses, and the choice is checked
)

// parts are fields that some servers reject. Their order matters: a message about reasoning effort may name tools
// too, but not the other way round.
var parts = []wire.Part{
	{Name: partEffort, Words: lazyregexp.New(`(?i)\breasoning[_ .]effort\b`)},
	{Name: partUsage, Words: lazyregexp.New(`\bstream_options\b|\binclude_usage\b`)},
	{Name: partLimit, Words: lazyregexp.New(`\bmax_(completion_|output_|new_)?tokens\b|\bmaxOutputTokens\b`), Unknown: true},
	{Name: "temperature", Words: lazyregexp.New(`(?i)\btemperature\b`), Feature: llm.FeatureTemperature},
	{Name: partChoice, Words: lazyregexp.New(`\btool_choice\b`)},
	{Name: "response_format", Words: lazyregexp.New(`(?i)\bresponse[_ ]format\b|\bjson[_ ]schema\b|\bstructured outputs?\b`), Feature: llm.FeatureSchema},
	{Name: "tools", Words: lazyregexp.New(`(?i)\btools?\b|\bfunctions?\b`), Feature: llm.FeatureTools, Unknown: true},
}

// habits are a server's observed restrictions. The zero value is OpenAI's.
type habits struct {
	noEffort   bool // it rejects partEffort
	noUsage    bool // it rejects partUsage
	otherLimit bool // it requires partLimit's other name
	noChoice   bool // it rejects partChoice
	most       int  // the largest value of partLimit that it takes; 0 is unknown
}

func (c *Client) habits() habits {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.learnt
}

// learn records that a request with the given habits and limit was rejected for a part, and reports whether another form is
// possible. Concurrent requests learn the same, each from its own rejection.
func (c *Client) learn(used habits, limit int, refused *wire.RefusedError) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch part := refused.Part; {
	case part == partEffort && !used.noEffort && reasons(c.server.Model):
		c.learnt.noEffort = true
	case part == partUsage && !used.noUsage:
		c.learnt.noUsage = true
	case part == partLimit && !used.otherLimit && !refused.Value:
		c.learnt.otherLimit = true
	case part == partLimit && used.most == 0 && refused.Below(limit) > 0:
		c.learnt.most = refused.Below(limit)
	case part == partChoice && !used.noChoice:
		c.learnt.noChoice = true
	default:
		return false
	}
	return true
}
