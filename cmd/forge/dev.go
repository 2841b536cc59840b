package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"forge/engine/llm/llmtest"
)

func newDev(t terminal) *cobra.Command {
	c := &cobra.Command{Use: "dev", Short: "Tools for people who work on Forge or write tests against it"}
	c.AddCommand(newDevModel(t), newDevSample(t))
	return c
}

func newDevModel(t terminal) *cobra.Command {
	var file string
	var port int
	c := &cobra.Command{
		Use:   "model",
		Short: "Serve a scripted model on loopback, and print its base URL",
		Long: "Serves what a script says as an OpenAI-compatible model on 127.0.0.1, until it is interrupted. It is strict: requests the " +
			"script does not expect are refused, and lines nobody asked for end it with an error. Without --script it plays the demo's.\n\n" +
			"Point Forge to it with FORGE_BASE_URL (the printed URL), FORGE_MODEL=scripted and FORGE_TAG_REQUESTS=1, which tells it who asks.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return serveModel(c.Context(), t, file, port) },
	}
	c.Flags().StringVar(&file, "script", "", "the script, YAML")
	c.Flags().IntVar(&port, "port", 0, "the port; 0 is any free one")
	return c
}

func serveModel(ctx context.Context, t terminal, file string, port int) error {
	name, source := "the demo's script", sampleScript
	if file != "" {
		data, err := os.ReadFile(file)
		if err != nil {
			return &exitError{exitFailed, err.Error()}
		}
		name, source = file, data
	}
	script, err := llmtest.Parse(name, source)
	if err != nil {
		return &exitError{exitFailed, err.Error()}
	}
	listener, err := llmtest.Listen(ctx, port)
	if err != nil {
		return &exitError{exitFailed, err.Error()}
	}
	fmt.Fprintf(t.out, "http://%s/v1\n", listener.Addr())
	err = llmtest.Serve(ctx, listener, script, t.err)
	if err = errors.Join(err, script.Verify()); err != nil {
		return &exitError{exitFailed, err.Error()}
	}
	return nil
}

func newDevSample(t terminal) *cobra.Command {
	return &cobra.Command{
		Use:   "sample DIR",
		Short: "Write the sample workspace of the demo into a new folder",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := writeSample(args[0]); err != nil {
				return &exitError{exitFailed, err.Error()}
			}
			fmt.Fprintln(t.out, args[0])
			return nil
		},
	}
}
