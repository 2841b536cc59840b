package execution

import (
	"context"

	"forge/engine/flow"
	"forge/engine/llm"
	"forge/engine/mode"
	"forge/engine/pipeline"
	"forge/engine/spend"
	"forge/engine/step"
)

// Choose chooses the model that is named where a run needs one name: the one of the node that writes.
func Choose(ctx context.Context, c llm.Chooser, folder string) (llm.Choice, error) {
	return c.Choose(ctx, llm.Need{Node: pipeline.Writing, Folder: folder})
}

// pay opens the ledger and sets the limits of the run: those it was begun with, and those that the user raised since.
func (l *Execution) pay(ctx context.Context) error {
	models, err := l.host.Calls.Models(ctx)
	if err != nil {
		return err
	}
	l.models = models
	ledger := models.Ledger
	allowed, err := ledger.Allowed(ctx, l.Run.ID)
	if err != nil {
		return l.host.State.Explain(err)
	}
	if allowed == (spend.Limits{}) {
		allowed = spend.Limits{Tokens: int64(l.params.Tokens), MicroUSD: l.params.MicroUSD}
	}
	if l.raised.Tokens > 0 {
		allowed.Tokens = int64(l.raised.Tokens)
	}
	if l.raised.MicroUSD > 0 {
		allowed.MicroUSD = l.raised.MicroUSD
	}
	return l.host.State.Explain(ledger.Allow(ctx, l.Run.ID, allowed))
}

// addUp adds to the result of a run what it has spent.
func (l *Execution) addUp(o *Outcome) {
	if l.models == nil {
		return
	}
	total, err := l.models.Ledger.Spent(context.Background(), l.Run.ID)
	if err != nil {
		l.host.State.Notify(err.Error())
		return
	}
	o.Tokens, o.Cached, o.Cost = int(total.Tokens), total.Usage.CacheRead, total.Cost
}

// windows are those of the models of the nodes. They are journaled: a run that is played again asks the same, whatever
// models there are then.
func (p Params) windows(ctx context.Context, f flow.Flow) (map[string]int, error) {
	if !p.Windows {
		return nil, nil
	}
	return step.ActivityWindows.Call(ctx, f, atStart, "windows", pipeline.Asking())
}

// Choose is the function choose, and passes on what the user should know of the choice: it is reported once, to the first caller.
func (h *Host) Choose(ctx context.Context, c llm.Chooser, folder string) (llm.Choice, error) {
	choice, err := Choose(ctx, c, folder)
	for _, notice := range choice.Notices {
		h.State.Notify(notice)
	}
	return choice, err
}

// chooser chooses the models of the run: in a mode that is offline, only among those of this machine.
func (l *Execution) chooser() llm.Chooser {
	if m, err := mode.Lookup(l.params.Mode); err == nil && m.Offline {
		return offline{l.host.Chooser}
	}
	return l.host.Chooser
}

// offline chooses among the models of this machine.
type offline struct{ llm.Chooser }

func (o offline) Choose(ctx context.Context, n llm.Need) (llm.Choice, error) {
	n.Offline = true
	return o.Chooser.Choose(ctx, n)
}
