package main

import (
	"fmt"

	"forge/cmd/forge/terminal"

	"github.com/spf13/cobra"
)

func newDev(t terminal.Terminal) *cobra.Command {
	c := &cobra.Command{Use: "dev", Short: "Tools for people who work on Forge or write tests against it"}
	c.AddCommand(newDevModel(t), newDevPlay(t), newDevSample(t))
	return c
}

func newDevSample(t terminal.Terminal) *cobra.Command {
	return &cobra.Command{
		Use:   "sample DIR",
		Short: "Write the sample workspace of the demo into a new folder",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := writeSample(args[0]); err != nil {
				return terminal.ExitWith(terminal.ExitFailed, err.Error())
			}
			fmt.Fprintln(t.Out, args[0])
			return nil
		},
	}
}
