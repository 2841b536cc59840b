package step

import (
	"fmt"
	"sync"

	"forge/engine/llm"
	"forge/engine/prompt"
)

// Budget is the wall of tokens around a run: what a call may cost at most is reserved before it and
// settled after it, so that parallel calls together never go past the limit. The zero Budget has no
// limit. It is safe for concurrent use.
type Budget struct {
	Limit int // tokens of all requests and answers together; 0 is no limit

	mu   sync.Mutex // guards used
	used int        // spent and reserved
}

// ExhaustedError says that a call was not made because it could go past the limit.
type ExhaustedError struct{ Used, Wanted, Limit int }

func (e *ExhaustedError) Error() string {
	return fmt.Sprintf("the run's budget of %d tokens is used up: %d are spent and the next call needs up to %d. Raise the limit and run again",
		e.Limit, e.Used, e.Wanted)
}

// Used returns the tokens spent and reserved so far.
func (b *Budget) Used() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// reserve sets aside the most a request can cost.
func (b *Budget) reserve(r llm.Request) (int, error) {
	most := r.MaxTokens
	for _, m := range r.Messages {
		most += prompt.Tokens(m.Text)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Limit > 0 && b.used+most > b.Limit {
		return 0, &ExhaustedError{Used: b.used, Wanted: most, Limit: b.Limit}
	}
	b.used += most
	return most, nil
}

// settle replaces a reservation by what the call cost. Where the provider does not say, or the call
// failed after it was sent, the reservation stands: nothing is assumed to be free.
func (b *Budget) settle(reserved int, answer llm.Response, err error) {
	cost := answer.Usage.Input + answer.Usage.Output
	if err != nil || cost == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used += cost - reserved
}
