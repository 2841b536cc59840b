package work

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"forge/engine/event"
	"forge/engine/prompt"
	"forge/engine/step"
)

// Errand is what the run has an agent find out. It is kept in memory and reported: when it begins, and how it ends.
type Errand struct {
	step.Errand
	run   *Run
	at    step.Place
	again int
}

// maxErrandText limits the task, the context and the result of an errand as they are kept and reported, in bytes each.
const maxErrandText = 2000

// NewErrand returns an errand that has not begun. Its id depends on the run, the place, and how often the user had the place retried, so
// that a replay gives the same.
func NewErrand(r *Run, at step.Place, again int, agent, task string) *Errand {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d\x00%d", r.Flow.RunID(), at.Node, at.Attempt, again))
	return &Errand{run: r, at: at, again: again, Errand: step.Errand{
		ID: "sub_" + hex.EncodeToString(sum[:6]), Node: at.Node, Agent: agent, Task: Shorten(task, maxErrandText),
	}}
}

// Begin keeps and reports the beginning. shown is what the agent sees at first; rounds and tokens are its budget: answers, and tokens of
// each. The error is for a journal that failed.
func (e *Errand) Begin(ctx context.Context, shown []prompt.Section, rounds, tokens int) error {
	names := make([]string, len(shown))
	for i, s := range shown {
		names[i] = s.Name
	}
	e.Context, e.Rounds, e.ReplyTokens = Shorten(strings.Join(names, "\n"), maxErrandText), rounds, tokens
	return e.keep(ctx, "errand/begins")
}

// End keeps and reports what was found out, or why nothing was. The error is for a journal that failed.
func (e *Errand) End(ctx context.Context, result string, failed bool) error {
	e.Ended, e.Failed, e.Result = true, failed, Shorten(result, maxErrandText)
	return e.keep(ctx, "errand/ends")
}

func (e *Errand) keep(ctx context.Context, name string) error {
	if _, err := step.ActivityErrand.Call(ctx, e.run.Flow, e.at, Again(name, e.again), e.Errand); err != nil {
		if _, refused := AsFailure(err); !refused {
			return fmt.Errorf("keep an errand: %w", err)
		}
	}
	told := event.ErrandReported{
		ID: e.ID, Node: e.Node, Attempt: e.at.Attempt, Agent: e.Agent, Task: e.Task, Rounds: e.Rounds, State: event.ErrandRunning, Tokens: e.Tokens, Result: e.Result,
	}
	switch {
	case e.Failed:
		told.State = event.ErrandFailed
	case e.Ended:
		told.State = event.ErrandDone
	}
	e.run.Emit(told)
	return nil
}

// Emit reports an event of the run, and adds the tokens of a call to the errand.
func (e *Errand) Emit(d event.Data) {
	if call, is := d.(event.ModelCalled); is {
		e.Tokens += call.Input + call.CacheRead + call.CacheWrite + call.Output
	}
	e.run.Emit(d)
}
