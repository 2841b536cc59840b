package wire

import (
	"fmt"

	"forge/engine/llm"
)

// How many bytes an answer may have for each token that was asked for: of text, whose tokens have some four, and up to
// twelve where they are escaped; and of a stream, which says a few hundred bytes around each.
const (
	tokenBytes  = 16
	streamBytes = 512
)

// The least and the most bytes that an answer may have, whatever was asked for.
const (
	minAnswer = 1 << 20
	maxAnswer = 16 << 20
	maxStream = 64 << 20
)

// longAnswerError says that an answer did not end where it had to.
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

// bound is what the answer to a request may have. A request without a limit may be answered at any length that is read at all.
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

// heed counts bytes of the answer and says when there are too many.
func (x *Exchange) heed(read int) error {
	x.read += read
	if x.bound != nil && x.read > x.bound.most {
		return x.bound
	}
	return nil
}
