package activity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/llm"
	"forge/engine/spend"
	"forge/engine/step"
	"forge/internal/failpoint"
	"forge/internal/sqlite"
)

// complete calls the model that is chosen for the node. Repeated after a crash, the call has the same key: a provider that
// supports it returns the lost answer. A truncated answer is an answer: the caller repairs it.
func (k Kit) complete(ctx context.Context, key string, c step.ModelCall) (llm.Response, error) {
	choice, err := k.choose(ctx, llm.Need{Node: llm.NodeRole(c.Request.Node), Tier: c.Request.Tier, Folder: k.Account.Folder})
	if err != nil {
		return llm.Response{}, err
	}
	failpoint.Hit(FailpointModelSending)
	c.Request.Key = key
	c.Request.Thinking = cmp.Or(c.Request.Thinking, choice.Thinking)
	if c.Request.MaxTokens > 0 {
		c.Request.MaxTokens += max(0, thoughts(ctx, choice)-c.Request.Thinking)
	}
	heard, fall := k.heard(c)
	defer fall()
	defer k.Spare.During(ctx, k.executeGate)()
	answer, err := k.Models.around(k.asking(ctx, choice, c)).Complete(ctx, c.Request, heard)
	if kind := llm.KindOf(err); kind == llm.KindLength {
		answer.Finish, err = llm.FinishLength, nil
	} else if kind != "" {
		return llm.Response{}, &flow.Failure{Kind: string(kind), Message: message(err)}
	}
	if errors.Is(err, sqlite.ErrFull) || errors.Is(err, sqlite.ErrDisk) || errors.Is(err, sqlite.ErrReadOnly) {
		return llm.Response{}, &flow.UnableError{Cause: err} // nothing was sent
	}
	return answer, err
}

// roomToThink is how many tokens a model may have for thoughts that it is not asked for, at the lowest effort. A step whose
// answer has no room left asks again with more.
const roomToThink = 8_192

// thoughts returns the room for thoughts that the models of a choice are not asked for, on top of the answer, in tokens.
func thoughts(ctx context.Context, c llm.Choice) int {
	room := thoughtsOf(ctx, c.Primary)
	if c.Fallback != nil {
		room = max(room, thoughtsOf(ctx, *c.Fallback))
	}
	return room
}

// thoughtsOf returns the room for one model: at most a quarter of its window.
func thoughtsOf(ctx context.Context, c llm.Candidate) int {
	thinker, is := c.Model.(llm.Thinker)
	if !is || !thinker.Thinks() {
		return 0
	}
	if window := windowOf(ctx, c); window > 0 {
		return min(roomToThink, window/4)
	}
	return roomToThink
}

// heard passes on the streamed text of a call, until fall is called.
func (k Kit) heard(c step.ModelCall) (onDelta func(string), fall func()) {
	if k.LiveText == nil {
		return nil, func() {}
	}
	call := event.Call{Node: c.Request.Node, Attempt: c.Request.Attempt, Round: c.Round}
	return func(piece string) { k.LiveText.Say(call, piece) }, func() { k.LiveText.Fall(call) }
}

// choose chooses the model for a node.
func (k Kit) choose(ctx context.Context, n llm.Need) (llm.Choice, error) {
	choice, err := k.Chooser.Choose(ctx, n)
	if err != nil {
		return choice, &flow.Failure{Kind: step.FailureNoModel, Message: err.Error()}
	}
	for _, notice := range choice.Notices {
		if k.Notice != nil {
			k.Notice(notice)
		}
	}
	return choice, nil
}

// asking returns a call for Models. Each wait is an event, so that the user knows what the run waits for.
func (k Kit) asking(ctx context.Context, choice llm.Choice, c step.ModelCall) asking {
	return asking{
		choice: choice, account: k.Account, keep: k.Keep && isFirst(c),
		failed: func(model string, cause *llm.Error, wait time.Duration, standIn string) {
			k.Emit(event.ModelCalled{
				Node: c.Request.Node, Attempt: c.Request.Attempt, Round: c.Round, Model: model, Failure: cause.Error(), Again: wait,
				StandIn: standIn,
			})
		},
		spent: func() { k.reportSpent(ctx) },
		waits: k.reportWaiting, idle: k.Idle,
		loaded: k.Loaded, loading: k.reportLoading(c.Request.Node, c.Request.Attempt),
	}
}

// isFirst reports whether a call is the first one of its kind in its run. A repair or another attempt needs a new answer
// even to the same question, so it does not use the cache.
func isFirst(c step.ModelCall) bool { return c.Round == 0 && c.Request.Attempt <= 1 }

// reportSpent reports what the run has spent so far. If that cannot be read, the next report has it.
func (k Kit) reportSpent(ctx context.Context) {
	ctx = context.WithoutCancel(ctx) // the costs of a cancelled call are reported too
	total, err := k.Models.Ledger.Spent(ctx, k.Account.Tree)
	if err != nil {
		return
	}
	limits, err := k.Models.Ledger.Allowed(ctx, k.Account.Tree)
	if err != nil {
		return
	}
	k.Emit(event.Spent{
		Tokens: total.Tokens, Usage: total.Usage, Cost: total.Cost, Held: total.HeldTokens,
		LimitTokens: limits.Tokens, LimitMicroUSD: limits.MicroUSD,
	})
}

// windows returns the number of tokens that the models of nodes accept, if known, without the room for thoughts. A request may
// go to a fallback model: it must fit both.
func (k Kit) windows(ctx context.Context, nodes []string) (map[string]int, error) {
	windows := map[string]int{}
	for _, node := range nodes {
		choice, err := k.choose(ctx, llm.Need{Node: node, Folder: k.Account.Folder})
		if err != nil {
			return nil, err
		}
		window := windowOf(ctx, choice.Primary)
		if choice.Fallback != nil {
			window = smaller(window, windowOf(ctx, *choice.Fallback))
		}
		if window > 0 {
			windows[node] = window - thoughts(ctx, choice)
		}
	}
	return windows, nil
}

// windowOf returns the number of tokens that a model accepts: the server knows that better than the name of the model does.
func windowOf(ctx context.Context, c llm.Candidate) int {
	server, can := c.Model.(interface{ Window(context.Context) int })
	if !can {
		return c.Window
	}
	return smaller(c.Window, server.Window(ctx))
}

// smaller returns the smaller one of two windows, of which 0 is unknown.
func smaller(a, b int) int {
	if a <= 0 || b > 0 && b < a {
		return b
	}
	return a
}

// message returns the text that the user sees for a failed call. An exhausted budget is no fault of the model.
func message(err error) string {
	exhausted := new(spend.ExhaustedError)
	if errors.As(err, &exhausted) {
		return fmt.Sprintf("the call was not made: %v", exhausted)
	}
	return err.Error()
}
