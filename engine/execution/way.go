package execution

import (
	"context"

	"forge/engine/llm"
	"forge/engine/mode"
)

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
