package execution

import (
	"context"
	"errors"

	"forge/engine/step"
	"forge/memory"
)

// errand keeps in the memory of the folder that an errand of an agent has begun, or ended.
func (l *runMemory) errand(ctx context.Context, e step.Errand) error {
	m, err := l.host.State.Memory(ctx, l.params.Root)
	if err != nil {
		return err
	}
	plain := l.host.Secrets.Plain
	kept := memory.Errand{
		ID: e.ID, Agent: e.Agent, Task: plain(e.Task), Context: plain(e.Context), Rounds: e.Rounds, ReplyTokens: e.ReplyTokens, Tokens: e.Tokens,
		Source: memory.Source{Origin: memory.Model, Run: l.run.ID, Node: e.Node},
	}
	if !e.Ended {
		task, err := m.TaskOf(ctx, l.run.ID)
		if err != nil && !errors.Is(err, memory.ErrNotFound) {
			return err
		}
		kept.TaskID = task.ID
		return m.BeginErrand(ctx, kept)
	}
	kept.Status, kept.Summary = memory.ErrandDone, plain(e.Result)
	if e.Failed {
		kept.Status, kept.Summary, kept.Failure = memory.ErrandFailed, "", kept.Summary
	}
	return m.EndErrand(ctx, kept)
}
