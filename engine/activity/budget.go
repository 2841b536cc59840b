package activity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"forge/engine/flow"
	"forge/engine/llm"
	"forge/engine/prompt"
	"forge/engine/step"
)

// Budget is the wall of tokens around a run: what a call may cost at most is reserved before it and
// settled after it, so that parallel calls together never go past the limit. The zero Budget has no
// limit. It is safe for concurrent use.
//
// What a run spent in an earlier life counts: Metered charges for calls that were played again.
type Budget struct {
	Limit int // tokens of all requests and answers together; 0 is no limit

	mu      sync.Mutex       // guards charges and used
	charges map[purchase]int // tokens of each call, spent or reserved
	used    int              // their sum
}

// purchase names one call of a run.
type purchase struct {
	node    string
	attempt int
	name    string
}

func purchaseOf(c step.ModelCall) purchase {
	return purchase{c.Request.Node, c.Request.Attempt, c.Name}
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

// reserve sets aside the most a call can cost.
func (b *Budget) reserve(c step.ModelCall, most int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Limit > 0 && b.used-b.charges[purchaseOf(c)]+most > b.Limit {
		return &ExhaustedError{Used: b.used, Wanted: most, Limit: b.Limit}
	}
	b.charge(purchaseOf(c), most)
	return nil
}

// settle says what a call cost.
func (b *Budget) settle(c step.ModelCall, cost int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.charge(purchaseOf(c), cost)
}

func (b *Budget) charge(call purchase, cost int) {
	if b.charges == nil {
		b.charges = map[purchase]int{}
	}
	b.used += cost - b.charges[call]
	b.charges[call] = cost
}

// Metered is a flow whose calls of the model are charged to the budget, whether they were made now or in an
// earlier life of the run. Where the provider does not say what a call cost, or it failed after it was sent,
// the most it can have cost is charged: nothing is assumed to be free.
func Metered(f flow.Flow, b *Budget) flow.Flow { return metered{f, b} }

type metered struct {
	flow.Flow
	budget *Budget
}

func (m metered) Do(ctx context.Context, c flow.Call) (json.RawMessage, error) {
	output, err := m.Flow.Do(ctx, c)
	if c.Do == step.ActivityModel {
		m.settle(c.Input, output, err)
	}
	return output, err
}

func (m metered) settle(input, output json.RawMessage, err error) {
	var call step.ModelCall
	var answer llm.Response
	if json.Unmarshal(input, &call) != nil || unsent(err) {
		return
	}
	cost := most(call)
	if err == nil && json.Unmarshal(output, &answer) == nil && answer.Usage.Input+answer.Usage.Output > 0 {
		cost = answer.Usage.Input + answer.Usage.Output
	}
	m.budget.settle(call, cost)
}

// unsent reports whether a call failed before it was made.
func unsent(err error) bool {
	var failed *flow.Failure
	return errors.As(err, &failed) && (failed.Kind == step.FailureBudget || failed.Kind == step.FailureNoModel)
}

// most is what a call can cost.
func most(c step.ModelCall) int {
	tokens := c.Request.MaxTokens
	for _, m := range c.Request.Messages {
		tokens += prompt.Tokens(m.Text)
	}
	return tokens
}
