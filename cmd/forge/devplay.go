package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"forge/cmd/forge/terminal"
	"forge/engine/llm/cassette"
	"forge/engine/llm/llmtest"
)

func newDevPlay(t terminal.Terminal) *cobra.Command {
	port := 0
	c := &cobra.Command{
		Use:   "play DIR",
		Short: "Serve a model on loopback whose answers you write, as files",
		Long: "Serves a model on 127.0.0.1, until it is interrupted, and prints its base URL. Request n is written as DIR/NNN.request.md, and answered with the " +
			"text of DIR/NNN.answer.md as soon as that file is there: write it under another name, and rename it. What it takes to answer a prompt well shows " +
			"what is missing in it; the folder afterwards is a transcript that plays again, because an answer that is there already is given at once.\n\n" +
			"Point Forge to it with FORGE_BASE_URL (the printed URL) and FORGE_MODEL=played.",
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o700); err != nil {
				return terminal.ExitWith(terminal.ExitFailed, err.Error())
			}
			listener, err := llmtest.Listen(c.Context(), port)
			if err != nil {
				return terminal.ExitWith(terminal.ExitFailed, err.Error())
			}
			fmt.Fprintf(t.Out, "http://%s/v1\n", listener.Addr())
			played := &cassette.Played{Dir: args[0], Look: 200 * time.Millisecond, Alive: 5 * time.Second}
			if err := llmtest.ServeHandler(c.Context(), listener, played); err != nil {
				return terminal.ExitWith(terminal.ExitFailed, err.Error())
			}
			return nil
		},
	}
	c.Flags().IntVar(&port, "port", 0, "the port; 0 is any free one")
	return c
}
