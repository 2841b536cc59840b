package spend

import "forge/engine/llm"

// Bound is the most tokens that one call can use.
type Bound struct{ Input, Output int }

// Tokens is the sum of both.
func (b Bound) Tokens() int64 { return int64(b.Input) + int64(b.Output) }

const (
	// perPart is more than what providers put around a message, a call or a tool: who speaks, where it begins and ends.
	perPart = 16
	// around is more than what they add to a request with tools or a schema, which some of them put into words of their
	// own (https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/overview: up to 735 tokens), and to one without.
	around, aroundTools = 32, 1024
	// unknownWindow is the longest answer of a model of which nothing is known: no model gives longer ones.
	unknownWindow = 1 << 20
)

// Most bounds what a call can use, in a window of so many tokens (0 is unknown).
//
// A token of the models that Forge speaks to stands for at least one byte of text: their vocabularies are made by merging
// bytes (BPE) or letters with single bytes for what is left (SentencePiece with byte fallback). So a text has at most as
// many tokens as bytes. Prose has a quarter of that, and code a third, but nothing smaller holds for every text: base64,
// Tibetan and punctuation come near a token per byte. JSON of schemas and tools counts twice, for what is made of it. What
// a provider adds is in the constants above, and in 300 bytes for a schema that is put into words (llm.Degrade).
//
// That is four times too much for most requests, so the other bound matters: a provider turns down what is larger than its
// window, and bills nothing for it. A window that is set too small makes this bound wrong, one too large only makes it wide.
//
// The answer is as long as MaxTokens and Thinking allow, or the window where MaxTokens leaves it to the provider.
// What is left of a wide bound is given back when the call is settled, and others wait for it: see Ledger.Reserve.
func Most(q llm.Request, window int) Bound {
	input := around
	for _, m := range q.Messages {
		input += perPart + len(m.Text) + len(m.CallID)
		for _, c := range m.Calls {
			input += perPart + len(c.ID) + len(c.Name) + 2*len(c.Arguments)
		}
	}
	for _, t := range q.Tools {
		input += perPart + len(t.Name) + len(t.Description) + 2*len(t.Schema)
	}
	if len(q.Schema) > 0 || len(q.Tools) > 0 {
		input += aroundTools + len(q.SchemaName) + 2*len(q.Schema)
	}
	limit := window
	if limit <= 0 {
		limit = unknownWindow
	}
	output := limit
	if q.MaxTokens > 0 {
		output = q.MaxTokens + max(0, q.Thinking)
	}
	if window > 0 {
		input, output = min(input, window), min(output, window)
	}
	return Bound{Input: input, Output: output}
}
