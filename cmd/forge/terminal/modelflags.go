package terminal

import (
	"github.com/spf13/cobra"

	"forge/engine/config"
)

// ModelFlags choose a model for one command.
type ModelFlags struct {
	model   string // "model" or "provider/model"
	offline bool
}

// Add adds the flags to a command.
func (f *ModelFlags) Add(c *cobra.Command) {
	c.Flags().StringVar(&f.model, "model", "", "the model, or provider/model; forge models lists them")
	c.Flags().BoolVar(&f.offline, "offline", false, "ask nothing but servers on this machine")
}

// Models are what the flags say, as settings.
func (f *ModelFlags) Models() config.Models {
	m := config.Models{Default: f.model}
	if f.offline {
		m.Offline = &f.offline
	}
	return m
}
