package main

import (
	"github.com/spf13/cobra"

	"forge/engine/config"
)

// modelFlags choose a model for one command.
type modelFlags struct {
	model   string // "model" or "provider/model"
	offline bool
}

func (f *modelFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.model, "model", "", "the model, or provider/model; forge models lists them")
	c.Flags().BoolVar(&f.offline, "offline", false, "ask nothing but servers on this machine")
}

// models are what the flags say, as settings.
func (f *modelFlags) models() config.Models {
	m := config.Models{Default: f.model}
	if f.offline {
		m.Offline = &f.offline
	}
	return m
}
