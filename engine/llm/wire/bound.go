package wire

import (
	"fmt"

	"forge/engine/llm"
)

// The number of bytes of an answer for each requested token: of text, whose tokens have about four, and up to twelve
// if escaped; and of a stream, which has a few hundred bytes around each.
const (
	tokenBytes  = 16
	streamBytes = 512
)

// The limits of an answer in bytes, regardless of the request.
const (
	minAnswer = 1 << 20
	maxAnswer = 16 << 20
	maxStream = 64 << 20
)

// longAnswerError means that an answer exceeded its limit.
type longAnswerError struct {
	most   int
	tokens int
}

func (e *longAnswerError) Error() string {
	if e.tokens == 0 {
		return fmt.Sprintf("the answer is longer than %d MiB: the rest of it was not read", e.most>>20)
	}
	return fmt.Sprintf("the answer is longer than %d MiB, and %d tokens at most were asked for: the rest of it was not read. "+
		"Does this server keep to max_tokens?", e.most>>20, e.tokens)
}

// bound returns the limit for the answer to a request. Without a token limit, the answer may have the maximum length.
func bound(f Framing, r llm.Request) *longAnswerError {
	each, most := tokenBytes, maxAnswer
	if f != Document {
		each, most = streamBytes, maxStream
	}
	tokens := r.MaxTokens
	if tokens > 0 {
		tokens += r.Thinking
		most = min(minAnswer+each*min(tokens, most), most)
	}
	return &longAnswerError{most: most, tokens: tokens}
}

// countBytes counts bytes of the answer and returns an error above the limit.
func (x *Exchange) countBytes(read int) error {
	x.read += read
	if x.bound != nil && x.read > x.bound.most {
		return x.bound
	}
	return nil
}
