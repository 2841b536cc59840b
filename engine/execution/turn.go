package execution

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"forge/engine/event"
	"forge/engine/state"
)

// keepTurn appends the run's result to its conversation, so that a later run can continue it. Runs of tools that the user called, and
// cancelled runs, are no turns.
func (l *Execution) keepTurn(ctx context.Context, o Outcome) {
	if len(l.params.Direct) > 0 || o.State == event.Cancelled {
		return
	}
	turn := state.Turn{
		At: l.host.Now(), Run: l.Run.ID, Recipe: l.params.Recipe,
		Asked: l.host.Secrets.Plain(l.params.Task), Answered: strings.TrimSpace(l.host.Secrets.Plain(o.said())),
	}
	if err := l.host.History.AddTurn(ctx, l.params.Root, cmp.Or(l.params.Thread, l.Run.ID), turn); err != nil {
		l.host.State.Notify(fmt.Sprintf("run %s is missing in its conversation: %v", l.Run.ID, err))
	}
}

// said returns the result of a run, as a turn of a conversation.
func (o Outcome) said() string {
	var parts []string
	if o.Answer != "" {
		parts = append(parts, o.Answer)
	}
	if o.Review != nil && o.Answer == "" && len(o.Changes.Files) == 0 {
		parts = append(parts, o.Review.Summary)
		for _, f := range o.Review.Findings {
			parts = append(parts, f.String())
		}
	}
	if len(o.Changes.Files) > 0 {
		var files []string
		for _, f := range o.Changes.Files {
			files = append(files, f.Path)
		}
		parts = append(parts, "Proposed a change of "+strings.Join(files, ", ")+".")
	}
	if o.State != event.Succeeded {
		parts = append(parts, strings.TrimSuffix(fmt.Sprintf("The run is %s: %s", o.State, o.Reason), ": "))
	}
	return strings.Join(parts, "\n")
}
