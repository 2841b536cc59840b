package work

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/event"
	"forge/engine/proposal"
)

// reversal is forge undo or forge redo.
type reversal struct {
	command cobra.Command
	verb    string // participle, for errors
	propose func(ctx context.Context, e *engine.Engine, root, id string) (*proposal.Proposal, error)
}

// NewUndo returns the command forge undo.
func NewUndo(t terminal.Terminal) *cobra.Command {
	return reversal{
		command: cobra.Command{
			Use:     "undo [RUN|CHECKPOINT]",
			Short:   "Undo the changes of the last run or of a checkpoint; later edits are kept",
			Example: "  forge undo\n  forge undo r-4f1c0a72 --yes",
		},
		verb: "undone",
		propose: func(ctx context.Context, e *engine.Engine, root, id string) (*proposal.Proposal, error) {
			return e.Undo(ctx, root, id)
		},
	}.new(t)
}

// NewRedo returns the command forge redo.
func NewRedo(t terminal.Terminal) *cobra.Command {
	return reversal{
		command: cobra.Command{
			Use:     "redo [RUN|CHECKPOINT]",
			Short:   "Redo the last undone change or a named one; later edits are kept",
			Example: "  forge redo\n  forge redo r-4f1c0a72 --yes",
		},
		verb: "redone",
		propose: func(ctx context.Context, e *engine.Engine, root, id string) (*proposal.Proposal, error) {
			return e.Redo(ctx, root, id)
		},
	}.new(t)
}

func (r reversal) new(t terminal.Terminal) *cobra.Command {
	var f RunFlags
	c := &r.command
	c.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 1 {
			return fmt.Errorf("%d runs cannot be %s at once: name one, or none for the last", len(args), r.verb)
		}
		return nil
	}
	c.RunE = func(c *cobra.Command, args []string) error { return r.run(c.Context(), t, f, terminal.First(args)) }
	c.Flags().StringVar(&f.dir, "dir", ".", "the folder")
	c.Flags().BoolVar(&f.Yes, "yes", false, "apply without asking")
	c.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
	return c
}

func (r reversal) run(ctx context.Context, t terminal.Terminal, f RunFlags, id string) error {
	return terminal.InProject(t, f.dir, func(e *engine.Engine, root string) error {
		p, err := r.propose(ctx, e, root, id)
		if err != nil {
			return RunOutcome{}.ending(err)
		}
		outcome := RunOutcome{RunID: p.RunID, Files: []fileOutcome{}}
		err = outcome.conclude(Session{Dialogue: terminal.NewDialogue(t), Engine: e, Flags: f}.offer(ctx, root, p, &outcome))
		if outcome.State == stateApplied {
			outcome.State = string(event.Succeeded)
		}
		return printed(t, f.json, &outcome, err)
	})
}
