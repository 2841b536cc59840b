package work

import (
	"errors"

	"github.com/spf13/cobra"

	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/history"
)

// threadFlag is the flag --continue: the conversation that a run continues.
type threadFlag struct{ id string }

func (f *threadFlag) add(c *cobra.Command) {
	c.Flags().StringVar(&f.id, "continue", "", "continue the last conversation in the folder, of any terminal or editor; or --continue=ID: see forge conversations")
	c.Flags().Lookup("continue").NoOptDefVal = engine.LatestThread
}

// threadFailed explains a conversation that does not exist; it returns other errors as they are.
func threadFailed(err error) error {
	if errors.Is(err, history.ErrNoConversation) {
		return terminal.ExitWith(terminal.ExitFailed, err.Error()+". Leave out --continue to begin one")
	}
	return err
}
